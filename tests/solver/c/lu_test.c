// Solves general matrices with the form lu.

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem.h"

enum { size = 4, entries = 10 };

// Without symmetry in pattern or values. The first two pivots are zero unless rows are exchanged.
static const double general[size][size] = {
    {0.0, 2.0, 0.0, 1.0}, {3.0, 0.0, 1.0, 0.0}, {0.0, 1.0, 4.0, -1.0}, {1.0, 0.0, -2.0, 2.0}};
static const double answer[size] = {1.0, -2.0, 3.0, -4.0};

struct general_problem {
  gpusupernodal_matrix a;
  int32_t offsets[size + 1], indices[entries];
  double values[entries];
};

/// Stores scale·`general` with all of its entries. compression: a gpusupernodal_compression.
static void store(struct general_problem* p, int compression, double scale) {
  int32_t count = 0;
  p->offsets[0] = 0;
  for (int outer = 0; outer < size; ++outer) {
    for (int inner = 0; inner < size; ++inner) {
      const double value = compression == GPUSUPERNODAL_ROWS ? general[outer][inner] : general[inner][outer];
      if (value == 0.0) continue;
      p->indices[count] = inner;
      p->values[count++] = scale * value;
    }
    p->offsets[outer + 1] = count;
  }
  CHECK(count == entries);
  const gpusupernodal_matrix a = {
      size, p->offsets, p->indices, p->values, GPUSUPERNODAL_INT32, GPUSUPERNODAL_FULL, compression, GPUSUPERNODAL_HOST};
  p->a = a;
}

/// Returns max |x − answer| for the solution of scale·A x = scale·A·answer, or with Aᵀ.
static double error_of(gpusupernodal_solver* solver, double scale, int system) {
  double x[size], largest = 0.0;
  for (int i = 0; i < size; ++i) {
    x[i] = 0.0;
    for (int j = 0; j < size; ++j)
      x[i] += scale * (system == GPUSUPERNODAL_TRANSPOSED ? general[j][i] : general[i][j]) * answer[j];
  }
  const gpusupernodal_dense b = {x, 1, size, GPUSUPERNODAL_HOST};
  CHECK(gpusupernodal_solve_part(solver, system, &b, &b) == GPUSUPERNODAL_OK);
  for (int i = 0; i < size; ++i) largest = fmax(largest, fabs(x[i] - answer[i]));
  return largest;
}

static double number_of(gpusupernodal_solver* solver, const char* name) {
  double number = NAN;
  CHECK(gpusupernodal_report_number(solver, name, &number) == GPUSUPERNODAL_OK);
  return number;
}

/// Bound of error_of: c·n·eps·κ with c = 4. κ, the condition number of A, is below 20.
static const double bound = 4.0 * size * DBL_EPSILON * 20.0;

/// Solves with A and Aᵀ, then with new values.
static void solves(int compression) {
  struct general_problem p;
  store(&p, compression, 1.0);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "lu") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  CHECK(number_of(solver, "factor.perturbed_pivots") == 0.0 && number_of(solver, "factor.growth") > 0.0);
  CHECK(error_of(solver, 1.0, GPUSUPERNODAL_A) <= bound && error_of(solver, 1.0, GPUSUPERNODAL_TRANSPOSED) <= bound);
  store(&p, compression, -8.0);
  CHECK(gpusupernodal_refactorize(solver, p.values, entries, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  CHECK(error_of(solver, -8.0, GPUSUPERNODAL_A) <= bound && error_of(solver, -8.0, GPUSUPERNODAL_TRANSPOSED) <= bound);
  gpusupernodal_destroy(solver);
}

/// Equal rows: the status is GPUSUPERNODAL_SINGULAR, the message names a column, and solves are refused until the next
/// factorization.
static void singular(void) {
  struct general_problem p;
  store(&p, GPUSUPERNODAL_ROWS, 1.0);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "lu") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  for (int e = 0; e < p.offsets[1]; ++e) p.values[e] = 0.0;
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_status(solver), GPUSUPERNODAL_SINGULAR, "A is singular up to rounding; the smallest pivot");
  const double column = number_of(solver, "factor.failed_column");
  CHECK(column >= 0.0 && column < size);
  double x[size] = {1.0, 1.0, 1.0, 1.0};
  const gpusupernodal_dense b = {x, 1, size, GPUSUPERNODAL_HOST};
  expect(solver, gpusupernodal_solve(solver, &b, &b), GPUSUPERNODAL_NUMERICAL_FAILURE, "A is singular");
  store(&p, GPUSUPERNODAL_ROWS, 1.0);
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve(solver, &b, &b) == GPUSUPERNODAL_OK);
  gpusupernodal_destroy(solver);
}

/// What LU does not have is refused: parts of a solve, copies of L, one half of a matrix.
static void refusals(void) {
  struct general_problem p;
  store(&p, GPUSUPERNODAL_COLUMNS, 1.0);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "lu") == GPUSUPERNODAL_OK);
  p.a.part = GPUSUPERNODAL_LOWER;
  expect(solver, gpusupernodal_compute(solver, &p.a), GPUSUPERNODAL_INVALID_INPUT, "a general matrix needs all");
  p.a.part = GPUSUPERNODAL_FULL;
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK);
  int64_t offsets[size + 1];
  double x[size] = {0.0};
  const gpusupernodal_dense b = {x, 1, size, GPUSUPERNODAL_HOST};
  expect(solver, gpusupernodal_solve_part(solver, GPUSUPERNODAL_L, &b, &b), GPUSUPERNODAL_INVALID_INPUT,
         "a solve with the form lu");
  expect(solver, gpusupernodal_extract_l(solver, offsets, NULL, NULL, 0), GPUSUPERNODAL_INVALID_INPUT, "form is lu");
  expect(solver, gpusupernodal_save_plan(solver, "lu.plan"), GPUSUPERNODAL_INVALID_INPUT, "for the forms llt and ldlt only");
  CHECK(gpusupernodal_set_option(solver, "backend", "cuda") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "deterministic", "true") == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_compute(solver, &p.a), GPUSUPERNODAL_BACKEND_UNAVAILABLE, "LU with equal bits");
  gpusupernodal_destroy(solver);
}

/// The schedule is an option and a text of the reports.
static void by_columns(void) {
  struct general_problem p;
  store(&p, GPUSUPERNODAL_COLUMNS, 1.0);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "lu") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "lu_schedule", "columns") == GPUSUPERNODAL_OK);
#ifdef GPUSUPERNODAL_TEST_LU_COLUMNS
  const char* schedule = NULL;
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_report_text(solver, "analyze.lu_schedule", &schedule) == GPUSUPERNODAL_OK);
  CHECK(strcmp(schedule, "columns") == 0);
  CHECK(error_of(solver, 1.0, GPUSUPERNODAL_A) <= bound && error_of(solver, 1.0, GPUSUPERNODAL_TRANSPOSED) <= bound);
#else
  expect(solver, gpusupernodal_compute(solver, &p.a), GPUSUPERNODAL_INVALID_INPUT, "this build has no LU by columns");
#endif
  expect(solver, gpusupernodal_set_option(solver, "lu_schedule", "rows"), GPUSUPERNODAL_INVALID_INPUT,
         "auto, supernodes, columns, dense");
  gpusupernodal_destroy(solver);
}

static void on_dense_storage(void) {
  struct general_problem p;
  store(&p, GPUSUPERNODAL_ROWS, 1.0);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_set_option(solver, "form", "lu") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "lu_schedule", "dense") == GPUSUPERNODAL_OK);
  const char* schedule = NULL;
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_report_text(solver, "analyze.lu_schedule", &schedule) == GPUSUPERNODAL_OK);
  CHECK(strcmp(schedule, "dense") == 0);
  CHECK(error_of(solver, 1.0, GPUSUPERNODAL_A) <= bound && error_of(solver, 1.0, GPUSUPERNODAL_TRANSPOSED) <= bound);
  gpusupernodal_destroy(solver);
}

void lu(void) {
  by_columns();
  on_dense_storage();
  solves(GPUSUPERNODAL_COLUMNS);
  solves(GPUSUPERNODAL_ROWS);
  singular();
  refusals();
}
