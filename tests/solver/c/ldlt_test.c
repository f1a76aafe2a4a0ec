// Solves symmetric indefinite matrices with the form ldlt, and reads their inertia.

#include <float.h>
#include <math.h>

#include "problem.h"

enum { rows_of_a = 3, stored = 5 };

// The lower half of [2 0 1; 0 3 1; 1 1 c]: with c = 0 its inertia is (2, 1, 0); with c = 5/6 it is singular.
static const int32_t offsets[rows_of_a + 1] = {0, 2, 4, 5};
static const int32_t indices[stored] = {0, 2, 1, 2, 2};

static gpusupernodal_matrix matrix_of(const double* values) {
  const gpusupernodal_matrix a = {
      rows_of_a,         offsets, indices, values, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS,
      GPUSUPERNODAL_HOST};
  return a;
}

static void solves_indefinite(void) {
  const double values[stored] = {2.0, 1.0, 3.0, 1.0, 0.0};
  const gpusupernodal_matrix a = matrix_of(values);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "ldlt") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  int64_t inertia[3] = {-1, -1, -1};
  int exact = -1;
  CHECK(gpusupernodal_inertia(solver, inertia, &exact) == GPUSUPERNODAL_OK);
  CHECK(inertia[0] == 2 && inertia[1] == 1 && inertia[2] == 0 && exact == 1);
  double negative = 0.0;
  CHECK(gpusupernodal_report_number(solver, "factor.inertia.negative", &negative) == GPUSUPERNODAL_OK && negative == 1.0);
  double x[rows_of_a] = {5.0, 9.0, 3.0};  // A·(1, 2, 3).
  const gpusupernodal_dense b = {x, 1, rows_of_a, GPUSUPERNODAL_HOST};
  CHECK(gpusupernodal_solve(solver, &b, &b) == GPUSUPERNODAL_OK);
  for (int i = 0; i < rows_of_a; ++i) CHECK(fabs(x[i] - (i + 1)) <= 1000.0 * DBL_EPSILON);
  CHECK(gpusupernodal_inertia(solver, NULL, &exact) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_inertia(solver, inertia, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_destroy(solver);
}

static void names_null_pivots(void) {
  const double values[stored] = {1.0, 1.0, 1.0, 1.0, 2.0};
  const gpusupernodal_matrix a = matrix_of(values);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "ldlt") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_SINGULAR);
  int64_t inertia[3] = {-1, -1, -1};
  int64_t column = -1;
  int exact = -1;
  CHECK(gpusupernodal_inertia(solver, inertia, &exact) == GPUSUPERNODAL_OK);
  CHECK(inertia[0] == 2 && inertia[1] == 0 && inertia[2] == 1 && exact == 0);
  CHECK(gpusupernodal_null_pivots(solver, &column, 1) == GPUSUPERNODAL_OK && column >= 0 && column < rows_of_a);
  CHECK(gpusupernodal_null_pivots(solver, &column, 2) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_null_pivots(solver, NULL, 1) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_destroy(solver);
}

static void other_forms_have_no_inertia(void) {
  const double values[stored] = {2.0, 1.0, 3.0, 1.0, 4.0};
  const gpusupernodal_matrix a = matrix_of(values);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  int64_t inertia[3];
  int exact = -1;
  CHECK(gpusupernodal_inertia(solver, inertia, &exact) == GPUSUPERNODAL_INVALID_STATE);
  CHECK(gpusupernodal_compute(solver, &a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_inertia(solver, inertia, &exact) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_destroy(solver);
}

void ldlt(void) {
  solves_indefinite();
  names_null_pivots();
  other_forms_have_no_inertia();
}
