// Solves Hermitian and general complex matrices in both precisions, multiplies by them, and iterates.

#include <complex.h>
#include <float.h>
#include <math.h>

#include "problem.h"

enum { n = 3, full_entries = 9 };

// Hermitian and positive definite.
static const double complex hermitian[n][n] = {{4.0, 1.0 + 2.0 * I, 0.5 * I},
                                               {1.0 - 2.0 * I, 5.0, 1.0 - 1.0 * I},
                                               {-0.5 * I, 1.0 + 1.0 * I, 6.0}};
// Neither Hermitian nor symmetric; its first pivot is zero unless rows are exchanged.
static const double complex unsymmetric[n][n] = {
    {0.0, 2.0 + 1.0 * I, 1.0}, {3.0 * I, 1.0, -1.0 + 1.0 * I}, {1.0, 0.5 * I, 4.0 - 2.0 * I}};
static const double complex exact[n] = {1.0 + 1.0 * I, -2.0, 3.0 - 4.0 * I};

/// Entry (i, j) of A, of its transpose or of its adjoint.
static double complex entry_of(const double complex a[n][n], int system, int i, int j) {
  if (system == GPUSUPERNODAL_TRANSPOSED) return a[j][i];
  return system == GPUSUPERNODAL_ADJOINT ? conj(a[j][i]) : a[i][j];
}

/// Solves with A, its transpose and its adjoint. The condition numbers are below 20, so forward errors stay below the bound.
static void expect_solved(int scalar, const char* form, const double complex a[n][n]) {
  const int is_double = scalar == GPUSUPERNODAL_COMPLEX_DOUBLE;
  const double bound = 20.0 * 100.0 * n * (is_double ? DBL_EPSILON : (double)FLT_EPSILON);
  int32_t offsets[n + 1], indices[full_entries];
  double complex values[full_entries];
  float complex narrow[full_entries];
  for (int j = 0; j < n; ++j) {
    offsets[j] = n * j;
    for (int i = 0; i < n; ++i) {
      indices[n * j + i] = i;
      values[n * j + i] = a[i][j];
      narrow[n * j + i] = (float complex)a[i][j];
    }
  }
  offsets[n] = full_entries;
  const gpusupernodal_matrix matrix = {n,
                                       offsets,
                                       indices,
                                       is_double ? (const void*)values : (const void*)narrow,
                                       GPUSUPERNODAL_INT32,
                                       GPUSUPERNODAL_FULL,
                                       GPUSUPERNODAL_COLUMNS,
                                       GPUSUPERNODAL_HOST};
  gpusupernodal_solver* solver = made(scalar);
  CHECK(gpusupernodal_set_option(solver, "form", form) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &matrix) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  const int systems[] = {GPUSUPERNODAL_A, GPUSUPERNODAL_TRANSPOSED, GPUSUPERNODAL_ADJOINT};
  for (int s = 0; s < 3; ++s) {
    double complex x[n];
    float complex narrow_x[n];
    for (int i = 0; i < n; ++i) {
      x[i] = 0.0;
      for (int j = 0; j < n; ++j) x[i] += entry_of(a, systems[s], i, j) * exact[j];
      narrow_x[i] = (float complex)x[i];
    }
    const gpusupernodal_dense b = {is_double ? (void*)x : (void*)narrow_x, 1, n, GPUSUPERNODAL_HOST};
    CHECK(gpusupernodal_solve_part(solver, systems[s], &b, &b) == GPUSUPERNODAL_OK);
    for (int i = 0; i < n; ++i) CHECK(cabs((is_double ? x[i] : (double complex)narrow_x[i]) - exact[i]) <= bound);
  }
  CHECK(gpusupernodal_set_option(solver, "backend", "cuda") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "cuda_schedule", "streams") == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_compute(solver, &matrix), GPUSUPERNODAL_BACKEND_UNAVAILABLE, "host only");
  gpusupernodal_destroy(solver);
}

/// The lower half of the Hermitian matrix by columns, in double precision.
static const int32_t half_offsets[] = {0, 3, 5, 6}, half_rows[] = {0, 1, 2, 1, 2, 2};
static const double complex half_values[] = {4.0, 1.0 - 2.0 * I, -0.5 * I, 5.0, 1.0 + 1.0 * I, 6.0};

/// y := 2·op(A) x + y for A, its transpose and its adjoint, given by all entries or, if `is_half`, by the lower half.
static void expect_products(const double complex a[n][n], int is_half) {
  const int32_t offsets[] = {0, 3, 6, 9}, columns[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  const gpusupernodal_sparse full = {
      n, n, offsets, columns, a, GPUSUPERNODAL_INT32, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS, GPUSUPERNODAL_HOST};
  const gpusupernodal_sparse half = {n,
                                     n,
                                     half_offsets,
                                     half_rows,
                                     half_values,
                                     GPUSUPERNODAL_INT32,
                                     GPUSUPERNODAL_LOWER,
                                     GPUSUPERNODAL_COLUMNS,
                                     GPUSUPERNODAL_HOST};
  gpusupernodal_operator* op = NULL;
  CHECK(gpusupernodal_operator_create(GPUSUPERNODAL_COMPLEX_DOUBLE, &op) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "symmetry", "hermitian") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "transposed", "true") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_analyze(op, is_half ? &half : &full) == GPUSUPERNODAL_OK);
  const int systems[] = {GPUSUPERNODAL_A, GPUSUPERNODAL_TRANSPOSED, GPUSUPERNODAL_ADJOINT};
  for (int s = 0; s < 3; ++s) {
    double complex x[n], y[n];
    for (int i = 0; i < n; ++i) x[i] = exact[i], y[i] = 1.0;
    const gpusupernodal_dense from = {x, 1, n, GPUSUPERNODAL_HOST}, to = {y, 1, n, GPUSUPERNODAL_HOST};
    CHECK(gpusupernodal_operator_multiply(op, systems[s], 2.0, &from, 1.0, &to) == GPUSUPERNODAL_OK);
    for (int i = 0; i < n; ++i) {
      double complex sum = 1.0;
      for (int j = 0; j < n; ++j) sum += 2.0 * entry_of(a, systems[s], i, j) * exact[j];
      CHECK(cabs(y[i] - sum) <= 100.0 * n * DBL_EPSILON);
    }
  }
  CHECK(gpusupernodal_operator_set_option(op, "backend", "cuda") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_analyze(op, &full) == GPUSUPERNODAL_BACKEND_UNAVAILABLE);
  gpusupernodal_operator_destroy(op);
}

static void expect_iterations(void) {
  const gpusupernodal_matrix matrix = {n,
                                       half_offsets,
                                       half_rows,
                                       half_values,
                                       GPUSUPERNODAL_INT32,
                                       GPUSUPERNODAL_LOWER,
                                       GPUSUPERNODAL_COLUMNS,
                                       GPUSUPERNODAL_HOST};
  double complex right[n], x[n];
  for (int i = 0; i < n; ++i) {
    right[i] = 0.0;
    for (int j = 0; j < n; ++j) right[i] += hermitian[i][j] * exact[j];
  }
  const gpusupernodal_dense b = {right, 1, n, GPUSUPERNODAL_HOST}, solution = {x, 1, n, GPUSUPERNODAL_HOST};
  gpusupernodal_pcg* pcg = NULL;
  CHECK(gpusupernodal_pcg_create(GPUSUPERNODAL_COMPLEX_DOUBLE, &pcg) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_pcg_compute(pcg, &matrix) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_pcg_solve(pcg, &b, &solution, 0) == GPUSUPERNODAL_OK);
  for (int i = 0; i < n; ++i) CHECK(cabs(x[i] - exact[i]) <= 20.0 * 1e-10 * cabs(exact[2]));
  gpusupernodal_pcg_destroy(pcg);
}

void complex_numbers(void) {
  expect_products(hermitian, 0);
  expect_products(hermitian, 1);
  expect_products(unsymmetric, 0);
  expect_iterations();
  for (int scalar = GPUSUPERNODAL_COMPLEX_FLOAT; scalar <= GPUSUPERNODAL_COMPLEX_DOUBLE; ++scalar) {
    expect_solved(scalar, "llt", hermitian);
    expect_solved(scalar, "lu", hermitian);
    expect_solved(scalar, "lu", unsymmetric);
  }
  gpusupernodal_solver* solver = NULL;
  CHECK(gpusupernodal_create(GPUSUPERNODAL_COMPLEX_DOUBLE + 1, &solver) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(solver == NULL);
}
