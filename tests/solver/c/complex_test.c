// Solves Hermitian and general complex matrices in both precisions.

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

void complex_numbers(void) {
  for (int scalar = GPUSUPERNODAL_COMPLEX_FLOAT; scalar <= GPUSUPERNODAL_COMPLEX_DOUBLE; ++scalar) {
    expect_solved(scalar, "llt", hermitian);
    expect_solved(scalar, "lu", hermitian);
    expect_solved(scalar, "lu", unsymmetric);
  }
  gpusupernodal_solver* solver = NULL;
  CHECK(gpusupernodal_create(GPUSUPERNODAL_COMPLEX_DOUBLE + 1, &solver) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(solver == NULL);
}
