// Tests the order of elimination and L in C.

#include <float.h>
#include <math.h>

#include "problem.h"

/// Orders two groups of rows last. Invalid group sizes and rows are rejected and leave the solver unchanged.
void last_rows(void) {
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_UPPER, GPUSUPERNODAL_ROWS);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  const int64_t rows[] = {5, 2, 17}, sizes[] = {2, 1}, negative[] = {2, -1}, none[] = {order};
  int64_t old_of_new[order];
  CHECK(gpusupernodal_set_last_rows(solver, rows, sizes, 2) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_old_of_new(solver, old_of_new, order) == GPUSUPERNODAL_OK);
  CHECK(old_of_new[order - 1] == 17 && old_of_new[order - 2] + old_of_new[order - 3] == 7);
  expect(solver, gpusupernodal_set_last_rows(solver, rows, negative, 2), GPUSUPERNODAL_INVALID_INPUT,
         "size of group 1 is -1");
  expect(solver, gpusupernodal_set_last_rows(solver, rows, NULL, 2), GPUSUPERNODAL_INVALID_INPUT, "null pointer");
  expect(solver, gpusupernodal_set_last_rows(solver, NULL, sizes, 2), GPUSUPERNODAL_INVALID_INPUT, "null pointer");
  CHECK(gpusupernodal_set_last_rows(solver, none, sizes + 1, 1) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_analyze(solver, &p.a), GPUSUPERNODAL_INVALID_INPUT, "last_rows[0][0] is 36");
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_last_rows(solver, NULL, NULL, 0) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_analyze(solver, &p.a) == GPUSUPERNODAL_OK);
  gpusupernodal_destroy(solver);
}

/// L reproduces the permuted matrix, and the diagonal of L gives the determinant.
void factor(void) {
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_UPPER, GPUSUPERNODAL_ROWS);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  int64_t backwards[order], old_of_new[order], offsets[order + 1];
  for (int i = 0; i < order; ++i) backwards[i] = order - 1 - i;
  CHECK(gpusupernodal_set_permutation(solver, backwards, order) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_old_of_new(solver, old_of_new, order) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_old_of_new(solver, old_of_new, 3), GPUSUPERNODAL_INVALID_INPUT, "of order 36");
  double log_determinant = 0.0, condition = 0.0;
  CHECK(gpusupernodal_extract_l(solver, offsets, NULL, NULL, 0) == GPUSUPERNODAL_OK);
  const int64_t entries = offsets[order];
  int64_t* rows = malloc((size_t)entries * sizeof *rows);
  double* values = malloc((size_t)entries * sizeof *values);
  CHECK(rows != NULL && values != NULL);
  CHECK(gpusupernodal_extract_l(solver, offsets, rows, values, entries) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_extract_l(solver, offsets, rows, values, entries - 1), GPUSUPERNODAL_INVALID_INPUT, "the arrays hold");
  double dense_l[order][order] = {{0.0}}, sum = 0.0;
  for (int j = 0; j < order; ++j) {
    for (int64_t e = offsets[j]; e < offsets[j + 1]; ++e) dense_l[rows[e]][j] = values[e];
    sum += 2.0 * log(dense_l[j][j]);
  }
  for (int j = 0; j < order; ++j) {
    double unit[order] = {0.0}, column[order];
    unit[old_of_new[j]] = 1.0;
    multiply(unit, column);
    for (int i = 0; i < order; ++i) {
      double product = 0.0;
      for (int k = 0; k < order; ++k) product += dense_l[i][k] * dense_l[j][k];
      CHECK(fabs(product - column[old_of_new[i]]) <= 9.0 * order * DBL_EPSILON);
    }
  }
  CHECK(gpusupernodal_log_determinant(solver, &log_determinant) == GPUSUPERNODAL_OK);
  CHECK(fabs(log_determinant - sum) <= fabs(sum) * order * DBL_EPSILON);
  CHECK(gpusupernodal_reciprocal_condition(solver, &p.a, &condition) == GPUSUPERNODAL_OK);
  CHECK(condition > 0.1 && condition < 1.0);
  free(rows);
  free(values);
  gpusupernodal_destroy(solver);
}
