// Solves with each method of gpusupernodal_system_solver, and reads its report.

#include <gpusupernodal_system.h>
#include <math.h>
#include <string.h>

#include "problem.h"

static gpusupernodal_system_solver* made_system(int scalar) {
  gpusupernodal_system_solver* system = NULL;
  CHECK(gpusupernodal_system_create(scalar, &system) == GPUSUPERNODAL_OK && system != NULL);
  CHECK(gpusupernodal_system_set_option(system, "backend", "host") == GPUSUPERNODAL_OK);
  return system;
}

static void expect_system(gpusupernodal_system_solver* system, gpusupernodal_code code, gpusupernodal_code wanted,
                          const char* part) {
  CHECK(code == wanted);
  CHECK(strstr(gpusupernodal_system_message(system), part) != NULL);
}

static double number_in(gpusupernodal_system_solver* system, const char* name) {
  double value = -7.0;
  CHECK(gpusupernodal_system_report_number(system, name, &value) == GPUSUPERNODAL_OK);
  return value;
}

static void solves_with_every_method(int scalar) {
  struct problem p;
  make_problem(&p, scalar, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS);
  double ones[order], right[order];
  float x_f[order], b_f[order];
  double x_d[order];
  for (int i = 0; i < order; ++i) ones[i] = 1.0;
  multiply(ones, right);
  for (int i = 0; i < order; ++i) b_f[i] = (float)right[i];
  const int is_float = scalar == GPUSUPERNODAL_FLOAT;
  const gpusupernodal_dense b = {is_float ? (void*)b_f : (void*)right, 1, 0, GPUSUPERNODAL_HOST};
  const gpusupernodal_dense x = {is_float ? (void*)x_f : (void*)x_d, 1, 0, GPUSUPERNODAL_HOST};
  const char* const names[] = {"automatic", "direct", "mixed", "pcg"};
  for (int k = 0; k < 4; ++k) {
    gpusupernodal_system_solver* system = made_system(scalar);
    CHECK(gpusupernodal_system_set_option(system, "method", names[k]) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_system_set_option(system, "expected_solves", "3") == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_system_set_stream(system, NULL) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_system_analyze(system, &p.a) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_system_update(system, p.a.values, p.entries, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_system_solve(system, &b, &x) == GPUSUPERNODAL_OK);
    for (int i = 0; i < order; ++i) CHECK(fabs((is_float ? (double)x_f[i] : x_d[i]) - 1.0) < (is_float ? 1e-3 : 1e-8));
    const char* text = NULL;
    CHECK(gpusupernodal_system_report_text(system, "status", &text) == GPUSUPERNODAL_OK && strcmp(text, "solved") == 0);
    CHECK(gpusupernodal_system_report_text(system, "reason", &text) == GPUSUPERNODAL_OK && strlen(text) > 0);
    CHECK(gpusupernodal_system_report_text(system, "backend", &text) == GPUSUPERNODAL_OK && strcmp(text, "host") == 0);
    CHECK(gpusupernodal_system_report_text(system, "method", &text) == GPUSUPERNODAL_OK);
    if (k == 1 || k == 3) CHECK(strcmp(text, names[k]) == 0);
    CHECK(number_in(system, "solves") == 1.0);
    CHECK(number_in(system, "memory") > 0.0);
    gpusupernodal_system_destroy(system);
  }
}

static void outcomes_of_systems(void) {
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS);
  double right[order], x[order];
  for (int i = 0; i < order; ++i) right[i] = 1.0 + i;
  const gpusupernodal_dense b = {right, 1, 0, GPUSUPERNODAL_HOST}, target = {x, 1, 0, GPUSUPERNODAL_HOST};
  gpusupernodal_system_solver* system = made_system(GPUSUPERNODAL_DOUBLE);
  expect_system(system, gpusupernodal_system_solve(system, &b, &target), GPUSUPERNODAL_INVALID_STATE, "before analyze");
  const char* text = NULL;
  CHECK(gpusupernodal_system_report_text(system, "status", &text) == GPUSUPERNODAL_OK && strcmp(text, "not_solved") == 0);
  CHECK(number_in(system, "residual") == -1.0);
  CHECK(gpusupernodal_system_compute(system, &p.a) == GPUSUPERNODAL_OK);
  right[5] = NAN;
  expect_system(system, gpusupernodal_system_solve(system, &b, &target), GPUSUPERNODAL_NON_FINITE_INPUT, "row 5");
  right[5] = 6.0;
  CHECK(gpusupernodal_system_set_option(system, "method", "pcg") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_system_set_option(system, "max_iterations", "1") == GPUSUPERNODAL_OK);
  expect_system(system, gpusupernodal_system_solve(system, &b, &target), GPUSUPERNODAL_NUMERICAL_FAILURE, "max_iterations");
  CHECK(number_in(system, "iterations") == 1.0);
  CHECK(number_in(system, "residual") > 0.0);
  CHECK(gpusupernodal_system_set_option(system, "method", "direct") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_system_solve(system, &b, &target) == GPUSUPERNODAL_OK);
  ((double*)p.a.values)[0] = -4.0;
  CHECK(gpusupernodal_system_update(system, p.a.values, p.entries, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  x[0] = 7.0;
  CHECK(gpusupernodal_system_set_option(system, "method", "automatic") == GPUSUPERNODAL_OK);
  expect_system(system, gpusupernodal_system_solve(system, &b, &target), GPUSUPERNODAL_NOT_POSITIVE_DEFINITE,
                "not positive definite");
  CHECK(x[0] == 7.0);
  CHECK(number_in(system, "failed_column") >= 0.0);
  gpusupernodal_system_destroy(system);
}

static void names_of_systems(void) {
  gpusupernodal_system_solver* system = made_system(GPUSUPERNODAL_DOUBLE);
  int count = 0;
  for (const char* name; (name = gpusupernodal_system_option_name(count)) != NULL; ++count) {
    const char* value = NULL;
    CHECK(gpusupernodal_system_get_option(system, name, &value) == GPUSUPERNODAL_OK);
    char copy[64];
    CHECK(strlen(value) < sizeof copy);
    strcpy(copy, value);
    CHECK(gpusupernodal_system_set_option(system, name, copy) == GPUSUPERNODAL_OK);
  }
  CHECK(count == 11);
  count = 0;
  for (const char* name; (name = gpusupernodal_system_report_number_name(count)) != NULL; ++count) number_in(system, name);
  CHECK(count == 20);
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT;
  expect_system(system, gpusupernodal_system_set_option(system, "method", "gmres"), invalid,
                "automatic, direct, mixed, pcg");
  expect_system(system, gpusupernodal_system_set_option(system, "expected_solves", "0"), invalid, "expected_solves is 0");
  expect_system(system, gpusupernodal_system_set_option(system, "speed", "1"), invalid, "no option 'speed'");
  expect_system(system, gpusupernodal_system_set_option(system, NULL, "1"), invalid, "name");
  double number = 0.0;
  const char* text = NULL;
  expect_system(system, gpusupernodal_system_report_number(system, "speed", &number), invalid, "no number 'speed'");
  expect_system(system, gpusupernodal_system_report_text(system, "speed", &text), invalid, "no text 'speed'");
  expect_system(system, gpusupernodal_system_update(system, NULL, -1, GPUSUPERNODAL_HOST), invalid, "-1 values");
  expect_system(system, gpusupernodal_system_analyze(system, NULL), invalid, "matrix");
  CHECK(gpusupernodal_system_solve(NULL, NULL, NULL) == invalid);
  gpusupernodal_system_solver* none = system;
  CHECK(gpusupernodal_system_create(GPUSUPERNODAL_COMPLEX_DOUBLE, &none) == invalid && none == NULL);
  gpusupernodal_system_destroy(none);
  gpusupernodal_system_destroy(system);
}

void systems(void) {
  solves_with_every_method(GPUSUPERNODAL_FLOAT);
  solves_with_every_method(GPUSUPERNODAL_DOUBLE);
  outcomes_of_systems();
  names_of_systems();
}
