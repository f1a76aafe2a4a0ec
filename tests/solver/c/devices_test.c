// Options of CUDA devices: several of them, and how much memory they may give.

#include <string.h>

#include "problem.h"

void lists_of_devices(void) {
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  const char* const lists[] = {"0,1", "3", "1,0,1", ""};
  const char* const wrong[] = {",", "0,", ",0", "0,,1", "0, 1", "0;1", "all", "0,99999999999"};
  const char* value = NULL;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    CHECK(gpusupernodal_set_option(solver, "devices", lists[i]) == GPUSUPERNODAL_OK);
    for (size_t j = 0; j < sizeof wrong / sizeof *wrong; ++j) {
      expect(solver, gpusupernodal_set_option(solver, "devices", wrong[j]), GPUSUPERNODAL_INVALID_INPUT, "as in 0,1, or empty");
    }
    expect(solver, gpusupernodal_set_option(solver, "devices", "0,-1"), GPUSUPERNODAL_INVALID_INPUT, "devices lists -1");
    CHECK(gpusupernodal_get_option(solver, "devices", &value) == GPUSUPERNODAL_OK && strcmp(value, lists[i]) == 0);
  }
  CHECK(gpusupernodal_set_option(solver, "devices", "0,1") == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_set_option(solver, "device", "0"), GPUSUPERNODAL_INVALID_INPUT, "set one of the two");
  expect(solver, gpusupernodal_set_option(solver, "form", "lu"), GPUSUPERNODAL_INVALID_INPUT, "only if the form is llt");
  expect(solver, gpusupernodal_set_option(solver, "trace", "true"), GPUSUPERNODAL_INVALID_INPUT, "only if trace is off");
  gpusupernodal_destroy(solver);
}

void device_memory(void) {
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  const char* value = NULL;
  CHECK(gpusupernodal_get_option(solver, "memory", &value) == GPUSUPERNODAL_OK && strcmp(value, "auto") == 0);
  CHECK(gpusupernodal_set_option(solver, "memory", "hybrid") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "device_memory_limit", "80000000000") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_get_option(solver, "device_memory_limit", &value) == GPUSUPERNODAL_OK);
  CHECK(strcmp(value, "80000000000") == 0);
  expect(solver, gpusupernodal_set_option(solver, "device_memory_limit", "80e9"), GPUSUPERNODAL_INVALID_INPUT, "a whole number");
  expect(solver, gpusupernodal_set_option(solver, "device_memory_limit", "-1"), GPUSUPERNODAL_INVALID_INPUT, "not be negative");
  expect(solver, gpusupernodal_set_option(solver, "form", "ldlt"), GPUSUPERNODAL_INVALID_INPUT, "only if the form is llt");
  expect(solver, gpusupernodal_set_option(solver, "devices", "0,1"), GPUSUPERNODAL_INVALID_INPUT, "device_memory_limit is 0");
  CHECK(gpusupernodal_set_option(solver, "device_memory_limit", "0") == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_set_option(solver, "devices", "0,1"), GPUSUPERNODAL_INVALID_INPUT, "memory is auto or device");
  gpusupernodal_destroy(solver);
}
