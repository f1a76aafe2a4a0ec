// Normal equations A·D·Aᵀ + δI and a solver that factorizes them.

#include <float.h>
#include <gpusupernodal_product.h>
#include <math.h>
#include <string.h>

#include "problem.h"

/// [1 0 2; 0 3 -1] by rows, with values of the test's scalar type.
static gpusupernodal_sparse constraints(const void* values) {
  static const int64_t offsets[] = {0, 2, 4}, indices[] = {0, 2, 1, 2};
  const gpusupernodal_sparse a = {
      2, 3, offsets, indices, values, GPUSUPERNODAL_INT64, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS, GPUSUPERNODAL_HOST};
  return a;
}

static gpusupernodal_normal* host_normal(int scalar) {
  gpusupernodal_normal* normal = NULL;
  CHECK(gpusupernodal_normal_create(scalar, &normal) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_set_option(normal, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_set_option(normal, "threads", "2") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_set_stream(normal, NULL) == GPUSUPERNODAL_OK);
  return normal;
}

/// M = [d0 + 4 d2 + δ, −2 d2; −2 d2, 9 d1 + d2 + δ]: all numbers are exact.
static void expect_matrix(gpusupernodal_normal* normal, double d0, double d1, double d2, double shift) {
  gpusupernodal_matrix m;
  CHECK(gpusupernodal_normal_matrix(normal, &m) == GPUSUPERNODAL_OK);
  const int32_t *offsets = m.offsets, *indices = m.indices;
  const double* values = m.values;
  CHECK(m.n == 2 && m.index == GPUSUPERNODAL_INT32 && m.part == GPUSUPERNODAL_LOWER && m.compression == GPUSUPERNODAL_ROWS &&
        m.value_space == GPUSUPERNODAL_HOST);
  CHECK(offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 3);
  CHECK(indices[0] == 0 && indices[1] == 0 && indices[2] == 1);
  CHECK(values[0] == d0 + 4.0 * d2 + shift && values[1] == -2.0 * d2 && values[2] == 9.0 * d1 + d2 + shift);
}

/// An interior point loop: one analysis of each object, then D, M, its factor and a solution in each step.
void normal_equations(void) {
  const double values[] = {1.0, 2.0, 3.0, -1.0}, b[] = {1.0, -2.0};
  const gpusupernodal_sparse a = constraints(values);
  double d[] = {1.0, 0.5, 4.0}, x[2], number = 0.0;
  gpusupernodal_matrix m;
  const char* text = NULL;
  gpusupernodal_normal* normal = host_normal(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_normal_analyze(normal, &a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_matrix(normal, &m) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_report_number(normal, "entries", &number) == GPUSUPERNODAL_OK && number == 3.0);
  CHECK(gpusupernodal_normal_report_number(normal, "rows", &number) == GPUSUPERNODAL_OK && number == 2.0);
  CHECK(gpusupernodal_normal_report_text(normal, "backend", &text) == GPUSUPERNODAL_OK && strcmp(text, "host") == 0);
  gpusupernodal_solver* solver = NULL;
  CHECK(gpusupernodal_create(GPUSUPERNODAL_DOUBLE, &solver) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_analyze(solver, &m) == GPUSUPERNODAL_OK);
  for (int step = 0; step < 3; ++step) {
    const double shift = step == 2 ? 0.25 : 0.0;
    d[0] *= 8.0;
    CHECK(gpusupernodal_normal_compute(normal, d, 3, GPUSUPERNODAL_HOST, shift) == GPUSUPERNODAL_OK);
    expect_matrix(normal, d[0], d[1], d[2], shift);
    CHECK(gpusupernodal_refactorize(solver, m.values, 3, m.value_space) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
    const gpusupernodal_dense from = {(void*)b, 1, 0, GPUSUPERNODAL_HOST}, to = {x, 1, 0, GPUSUPERNODAL_HOST};
    CHECK(gpusupernodal_solve(solver, &from, &to) == GPUSUPERNODAL_OK);
    const double m00 = d[0] + 4.0 * d[2] + shift, m10 = -2.0 * d[2], m11 = 9.0 * d[1] + d[2] + shift;
    const double largest = (fabs(m00) + fabs(m10) + fabs(m11)) * (fabs(x[0]) + fabs(x[1])) + 2.0;
    const double bound = 10.0 * 2.0 * DBL_EPSILON * largest;  // c·n·eps, relative to ‖M‖ ‖x‖ + ‖b‖.
    CHECK(fabs(b[0] - m00 * x[0] - m10 * x[1]) <= bound && fabs(b[1] - m10 * x[0] - m11 * x[1]) <= bound);
  }
  const double others[] = {2.0, 4.0, 6.0, -2.0};
  CHECK(gpusupernodal_normal_update(normal, others, 4, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_compute(normal, d, 3, GPUSUPERNODAL_HOST, 0.0) == GPUSUPERNODAL_OK);
  expect_matrix(normal, 4.0 * d[0], 4.0 * d[1], 4.0 * d[2], 0.0);
  int64_t offsets[3];
  int32_t indices[3];
  double lower[3];
  CHECK(gpusupernodal_normal_copy(normal, offsets, indices, lower) == GPUSUPERNODAL_OK);
  CHECK(offsets[1] == 1 && offsets[2] == 3 && indices[1] == 0 && indices[2] == 1 && lower[1] == -8.0 * d[2]);
  gpusupernodal_destroy(solver);
  gpusupernodal_normal_destroy(normal);
}

static void expect_normal(gpusupernodal_normal* normal, gpusupernodal_code code, gpusupernodal_code wanted, const char* part) {
  CHECK(code == wanted);
  CHECK(strstr(gpusupernodal_normal_message(normal), part) != NULL);
}

void normal_mistakes(void) {
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT, state = GPUSUPERNODAL_INVALID_STATE;
  const float values[] = {1.0f, 2.0f, 3.0f, -1.0f}, d[] = {1.0f, 1.0f, 1.0f};
  const gpusupernodal_sparse pattern = constraints(NULL);
  gpusupernodal_matrix m;
  double number = 0.0;
  float lower[3];
  int64_t offsets[3];
  int32_t indices[3];
  const char* text = NULL;
  gpusupernodal_normal* none = NULL;
  CHECK(gpusupernodal_normal_create(GPUSUPERNODAL_COMPLEX_FLOAT, &none) == invalid && none == NULL);
  CHECK(gpusupernodal_normal_create(GPUSUPERNODAL_DOUBLE, NULL) == invalid);
  CHECK(strlen(gpusupernodal_normal_message(NULL)) > 0);
  CHECK(gpusupernodal_normal_compute(NULL, d, 3, GPUSUPERNODAL_HOST, 0.0) == invalid);
  gpusupernodal_normal_destroy(NULL);
  gpusupernodal_normal* normal = host_normal(GPUSUPERNODAL_FLOAT);
  expect_normal(normal, gpusupernodal_normal_compute(normal, d, 3, GPUSUPERNODAL_HOST, 0.0), state, "call analyze first");
  expect_normal(normal, gpusupernodal_normal_matrix(normal, &m), state, "call analyze first");
  expect_normal(normal, gpusupernodal_normal_analyze(normal, NULL), invalid, "A");
  expect_normal(normal, gpusupernodal_normal_set_option(normal, "threads", "-7"), invalid, "threads");
  expect_normal(normal, gpusupernodal_normal_set_option(normal, NULL, "1"), invalid, "null");
  CHECK(gpusupernodal_normal_analyze(normal, &pattern) == GPUSUPERNODAL_OK);
  expect_normal(normal, gpusupernodal_normal_compute(normal, d, 3, GPUSUPERNODAL_HOST, 0.0), state, "call update first");
  expect_normal(normal, gpusupernodal_normal_copy(normal, NULL, NULL, lower), state, "needs the values of M");
  offsets[0] = -1;
  expect_normal(normal, gpusupernodal_normal_copy(normal, offsets, indices, lower), state, "needs the values of M");
  CHECK(offsets[0] == -1);
  expect_normal(normal, gpusupernodal_normal_copy(normal, offsets, NULL, NULL), invalid, "null");
  expect_normal(normal, gpusupernodal_normal_update(normal, values, 3, GPUSUPERNODAL_HOST), invalid, "need 4");
  expect_normal(normal, gpusupernodal_normal_update(normal, NULL, 4, GPUSUPERNODAL_HOST), invalid, "null");
  CHECK(gpusupernodal_normal_update(normal, values, 4, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  expect_normal(normal, gpusupernodal_normal_compute(normal, d, 2, GPUSUPERNODAL_HOST, 0.0), invalid, "the diagonal of D");
  expect_normal(normal, gpusupernodal_normal_compute(normal, d, 3, 7, 0.0), invalid, "the space of D");
  expect_normal(normal, gpusupernodal_normal_matrix(normal, NULL), invalid, "null");
  expect_normal(normal, gpusupernodal_normal_report_number(normal, "speed", &number), invalid, "no number 'speed'");
  expect_normal(normal, gpusupernodal_normal_report_text(normal, "speed", &text), invalid, "no text 'speed'");
  CHECK(gpusupernodal_normal_compute(normal, d, 3, GPUSUPERNODAL_HOST, 0.0) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_normal_matrix(normal, &m) == GPUSUPERNODAL_OK && ((const float*)m.values)[2] == 10.0f);
  gpusupernodal_normal_destroy(normal);
}
