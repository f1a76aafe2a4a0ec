// Batches of systems with one pattern, and with several.

#include <math.h>
#include <string.h>

#include "problem.h"

enum { system_count = 4 };

static gpusupernodal_batch* made_batch(int scalar) {
  gpusupernodal_batch* made = NULL;
  CHECK(gpusupernodal_batch_create(scalar, &made) == GPUSUPERNODAL_OK && made != NULL);
  CHECK(gpusupernodal_batch_set_option(made, "threads", "2") == GPUSUPERNODAL_OK);
  return made;
}

static void expect_batch(gpusupernodal_batch* handle, gpusupernodal_code code, gpusupernodal_code wanted, const char* part) {
  CHECK(code == wanted);
  CHECK(strstr(gpusupernodal_batch_message(handle), part) != NULL);
}

/// System s is (s + 1)·A, so x is 1 / (s + 1); system 1 is −A.
static void solves(int by_pointers) {
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS);
  double values[system_count][most_entries], right[order], x[system_count][order];
  const void* pointers[system_count];
  for (int s = 0; s < system_count; ++s) {
    pointers[s] = values[s];
    for (int64_t e = 0; e < p.entries; ++e) values[s][e] = (s == 1 ? -1.0 : s + 1.0) * p.values_d[e];
    for (int i = 0; i < order; ++i) x[s][i] = -7.0;
  }
  double ones[order];
  for (int i = 0; i < order; ++i) ones[i] = 1.0;
  multiply(ones, right);
  gpusupernodal_batch* handle = made_batch(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_batch_analyze(handle, &p.a, system_count) == GPUSUPERNODAL_OK);
  CHECK((by_pointers ? gpusupernodal_batch_refactorize_pointers(handle, pointers, system_count, GPUSUPERNODAL_HOST)
                     : gpusupernodal_batch_refactorize(handle, values, most_entries, system_count, GPUSUPERNODAL_HOST)) ==
        GPUSUPERNODAL_OK);
  int32_t statuses[system_count];
  CHECK(gpusupernodal_batch_statuses(handle, statuses, system_count) == GPUSUPERNODAL_OK);
  for (int s = 0; s < system_count; ++s)
    CHECK(statuses[s] == (s == 1 ? GPUSUPERNODAL_BATCH_NOT_POSITIVE_DEFINITE : GPUSUPERNODAL_BATCH_SUCCESS));
  const unsigned char wanted[system_count] = {1, 1, 1, 0};
  CHECK(gpusupernodal_batch_set_wanted(handle, wanted, system_count) == GPUSUPERNODAL_OK);
  const gpusupernodal_batch_dense b = {right, 1, 0, 0, system_count, GPUSUPERNODAL_HOST};
  const gpusupernodal_batch_dense solutions = {x, 1, 0, order, system_count, GPUSUPERNODAL_HOST};
  CHECK(gpusupernodal_batch_solve(handle, &b, &solutions) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_batch_solve_statuses(handle, statuses, system_count) == GPUSUPERNODAL_OK);
  CHECK(statuses[0] == GPUSUPERNODAL_BATCH_SUCCESS && statuses[1] == GPUSUPERNODAL_BATCH_NOT_POSITIVE_DEFINITE);
  CHECK(statuses[2] == GPUSUPERNODAL_BATCH_SUCCESS && statuses[3] == GPUSUPERNODAL_BATCH_SKIPPED);
  for (int i = 0; i < order; ++i) {
    CHECK(fabs(x[0][i] - 1.0) <= 1e-12 && fabs(x[2][i] - 1.0 / 3.0) <= 1e-12);
    CHECK(x[1][i] == -7.0 && x[3][i] == -7.0);
  }
  double number = -7.0;
  const char* text = NULL;
  CHECK(gpusupernodal_batch_report_number(handle, 1, "factor.failed_column", &number) == GPUSUPERNODAL_OK && number >= 0.0);
  CHECK(gpusupernodal_batch_report_text(handle, 1, "factor.status", &text) == GPUSUPERNODAL_OK);
  CHECK(strcmp(text, "not_positive_definite") == 0);
  CHECK(gpusupernodal_batch_set_wanted(handle, NULL, 0) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_batch_solve_part(handle, GPUSUPERNODAL_P, &b, &solutions) == GPUSUPERNODAL_OK);
  gpusupernodal_batch_destroy(handle);
}

void batch(void) {
  solves(0);
  solves(1);
  for (int scalar = GPUSUPERNODAL_FLOAT; scalar <= GPUSUPERNODAL_COMPLEX_DOUBLE; ++scalar) {
    gpusupernodal_batch* handle = made_batch(scalar);
    const char* value = NULL;
    CHECK(gpusupernodal_batch_get_option(handle, "threads", &value) == GPUSUPERNODAL_OK && strcmp(value, "2") == 0);
    gpusupernodal_batch_destroy(handle);
  }
  CHECK(strcmp(gpusupernodal_batch_status_name(GPUSUPERNODAL_BATCH_SUCCESS), "success") == 0);
  CHECK(strcmp(gpusupernodal_batch_status_name(GPUSUPERNODAL_BATCH_SKIPPED), "skipped") == 0);
  CHECK(gpusupernodal_batch_status_name(-1) == NULL);
  CHECK(gpusupernodal_batch_status_name(GPUSUPERNODAL_BATCH_SKIPPED + 1) == NULL);
}

void batch_mistakes(void) {
  const gpusupernodal_code bad = GPUSUPERNODAL_INVALID_INPUT;
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT64, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS);
  gpusupernodal_batch* handle = NULL;
  CHECK(gpusupernodal_batch_create(4, &handle) == bad && handle == NULL);
  CHECK(gpusupernodal_batch_create(GPUSUPERNODAL_DOUBLE, NULL) == bad);
  CHECK(gpusupernodal_batch_analyze(NULL, &p.a, 1) == bad && strstr(gpusupernodal_batch_message(NULL), "null") != NULL);
  gpusupernodal_batch_destroy(NULL);
  handle = made_batch(GPUSUPERNODAL_DOUBLE);
  const gpusupernodal_batch_dense vectors = {p.values_d, 1, 0, order, 2, GPUSUPERNODAL_HOST};
  int32_t statuses[2];
  double number = 0.0;
  const char* text = NULL;
  CHECK(gpusupernodal_batch_refactorize(handle, p.values_d, 0, 0, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_INVALID_STATE);
  expect_batch(handle, gpusupernodal_batch_solve(handle, &vectors, &vectors), GPUSUPERNODAL_INVALID_STATE, "before analyze");
  expect_batch(handle, gpusupernodal_batch_set_option(handle, "trace", "true"), bad, "batches keep no trace");
  expect_batch(handle, gpusupernodal_batch_set_option(handle, "devices", "0,1"), bad, "a batch runs on one");
  CHECK(gpusupernodal_batch_set_option(handle, "devices", "0") == GPUSUPERNODAL_OK);
  expect_batch(handle, gpusupernodal_batch_set_option(handle, "sort", "1"), bad, "sort");
  expect_batch(handle, gpusupernodal_batch_set_option(handle, NULL, "1"), bad, "null");
  expect_batch(handle, gpusupernodal_batch_get_option(handle, "threads", NULL), bad, "null");
  expect_batch(handle, gpusupernodal_batch_analyze(handle, NULL, 2), bad, "null");
  expect_batch(handle, gpusupernodal_batch_analyze(handle, &p.a, -2), bad, "-2 systems");
  CHECK(gpusupernodal_batch_analyze(handle, &p.a, 2) == GPUSUPERNODAL_OK);
  expect_batch(handle, gpusupernodal_batch_refactorize(handle, NULL, p.entries, 2, GPUSUPERNODAL_HOST), bad, "null");
  expect_batch(handle, gpusupernodal_batch_refactorize(handle, p.values_d, p.entries - 1, 2, GPUSUPERNODAL_HOST), bad,
               "stride");
  expect_batch(handle, gpusupernodal_batch_refactorize(handle, p.values_d, p.entries, 3, GPUSUPERNODAL_HOST), bad,
               "the batch has 2");
  expect_batch(handle, gpusupernodal_batch_refactorize_pointers(handle, NULL, 2, GPUSUPERNODAL_HOST), bad, "null");
  expect_batch(handle, gpusupernodal_batch_refactorize_pointers(handle, NULL, -1, GPUSUPERNODAL_HOST), bad, "values");
  expect_batch(handle, gpusupernodal_batch_set_wanted(handle, NULL, 2), bad, "null");
  expect_batch(handle, gpusupernodal_batch_set_wanted(handle, (const unsigned char*)"a", 1), bad, "mask");
  expect_batch(handle, gpusupernodal_batch_statuses(handle, NULL, 2), bad, "null");
  expect_batch(handle, gpusupernodal_batch_statuses(handle, statuses, 1), bad, "the batch has 2");
  expect_batch(handle, gpusupernodal_batch_solve(handle, NULL, &vectors), bad, "null");
  expect_batch(handle, gpusupernodal_batch_solve_part(handle, 9, &vectors, &vectors), bad, "part");
  expect_batch(handle, gpusupernodal_batch_report_number(handle, 0, "factor.growth", &number), GPUSUPERNODAL_INVALID_STATE,
               "has not been factorized");
  expect_batch(handle, gpusupernodal_batch_report_text(handle, 2, "factor.status", &text), bad, "there is no system 2");
  expect_batch(handle, gpusupernodal_batch_report_number(handle, 0, NULL, &number), bad, "null");
  expect_batch(handle, gpusupernodal_batch_refactorize(handle, p.values_d, p.entries, 2, GPUSUPERNODAL_DEVICE), bad,
               "device memory");
  expect_batch(handle, gpusupernodal_batch_refactorize(handle, p.values_d, p.entries, 2, 7), bad, "space");
  CHECK(gpusupernodal_batch_set_stream(handle, NULL) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_batch_set_option(handle, "backend", "cuda") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_batch_set_option(handle, "form", "lu") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_batch_set_option(handle, "lu_schedule", "dense") == GPUSUPERNODAL_OK);
  expect_batch(handle, gpusupernodal_batch_analyze(handle, &p.a, 2), GPUSUPERNODAL_BACKEND_UNAVAILABLE, "on the host only");
  gpusupernodal_batch_destroy(handle);
}

enum { small_order = 2 };

/// Two grids, s + 1 times the Laplacian, and between them the diagonal matrices [4 0; 0 d] and the empty one.
struct variable_problem {
  struct problem grid;
  int32_t offsets[small_order + 1], indices[small_order];
  double small[small_order], twice[most_entries];
  gpusupernodal_matrix systems[system_count];
  const void* values[system_count];
};

static void make_variable_problem(struct variable_problem* p, double d) {
  make_problem(&p->grid, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER, GPUSUPERNODAL_COLUMNS);
  for (int i = 0; i <= small_order; ++i) p->offsets[i] = i;
  for (int i = 0; i < small_order; ++i) p->indices[i] = i;
  p->small[0] = 4.0;
  p->small[1] = d;
  for (int64_t e = 0; e < p->grid.entries; ++e) p->twice[e] = 2.0 * p->grid.values_d[e];
  const gpusupernodal_matrix small = {small_order,          p->offsets,          p->indices,
                                      p->small,             GPUSUPERNODAL_INT32, GPUSUPERNODAL_LOWER,
                                      GPUSUPERNODAL_COLUMNS, GPUSUPERNODAL_HOST};
  p->systems[0] = p->systems[2] = p->grid.a;
  p->systems[1] = p->systems[3] = small;
  p->systems[3].n = 0;
  p->values[0] = p->grid.values_d;
  p->values[1] = p->small;
  p->values[2] = p->twice;
  p->values[3] = NULL;
}

static gpusupernodal_variable_batch* made_variable_batch(int scalar) {
  gpusupernodal_variable_batch* made = NULL;
  CHECK(gpusupernodal_variable_batch_create(scalar, &made) == GPUSUPERNODAL_OK && made != NULL);
  CHECK(gpusupernodal_variable_batch_set_option(made, "threads", "2") == GPUSUPERNODAL_OK);
  return made;
}

static void solves_variable(double d) {
  struct variable_problem p;
  make_variable_problem(&p, d);
  const int is_definite = d > 0.0;
  double ones[order], right[order], x[3][order], small_right[small_order] = {4.0, 1.0};
  for (int i = 0; i < order; ++i) {
    ones[i] = 1.0;
    for (int s = 0; s < 3; ++s) x[s][i] = -7.0;
  }
  multiply(ones, right);
  gpusupernodal_variable_batch* handle = made_variable_batch(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_variable_batch_analyze(handle, p.systems, system_count) == GPUSUPERNODAL_OK);
  int64_t patterns = 0, pattern = -1;
  CHECK(gpusupernodal_variable_batch_patterns(handle, &patterns) == GPUSUPERNODAL_OK && patterns == 3);
  CHECK(gpusupernodal_variable_batch_pattern_of(handle, 2, &pattern) == GPUSUPERNODAL_OK && pattern == 0);
  CHECK(gpusupernodal_variable_batch_pattern_of(handle, 3, &pattern) == GPUSUPERNODAL_OK && pattern == 2);
  CHECK(gpusupernodal_variable_batch_refactorize(handle, p.values, system_count, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  int32_t statuses[system_count];
  CHECK(gpusupernodal_variable_batch_statuses(handle, statuses, system_count) == GPUSUPERNODAL_OK);
  CHECK(statuses[1] == (is_definite ? GPUSUPERNODAL_BATCH_SUCCESS : GPUSUPERNODAL_BATCH_NOT_POSITIVE_DEFINITE));
  CHECK(statuses[0] == GPUSUPERNODAL_BATCH_SUCCESS && statuses[3] == GPUSUPERNODAL_BATCH_SUCCESS);
  const unsigned char wanted[system_count] = {1, 1, 0, 1};
  CHECK(gpusupernodal_variable_batch_set_wanted(handle, wanted, system_count) == GPUSUPERNODAL_OK);
  const gpusupernodal_dense b[system_count] = {{right, 1, 0, GPUSUPERNODAL_HOST},
                                               {small_right, 1, 0, GPUSUPERNODAL_HOST},
                                               {NULL, 1, 0, GPUSUPERNODAL_HOST},
                                               {NULL, 1, 0, GPUSUPERNODAL_HOST}};
  const gpusupernodal_dense solutions[system_count] = {{x[0], 1, 0, GPUSUPERNODAL_HOST},
                                                       {x[1], 1, 0, GPUSUPERNODAL_HOST},
                                                       {x[2], 1, 0, GPUSUPERNODAL_HOST},
                                                       {NULL, 1, 0, GPUSUPERNODAL_HOST}};
  CHECK(gpusupernodal_variable_batch_solve(handle, b, solutions, system_count) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_variable_batch_solve_statuses(handle, statuses, system_count) == GPUSUPERNODAL_OK);
  CHECK(statuses[0] == GPUSUPERNODAL_BATCH_SUCCESS && statuses[2] == GPUSUPERNODAL_BATCH_SKIPPED);
  for (int i = 0; i < order; ++i) CHECK(fabs(x[0][i] - 1.0) <= 1e-12 && x[2][i] == -7.0);
  CHECK(x[1][0] == (is_definite ? 1.0 : -7.0) && x[1][1] == (is_definite ? 1.0 / d : -7.0));
  double number = -7.0;
  const char* text = NULL;
  CHECK(gpusupernodal_variable_batch_report_number(handle, 1, "analyze.n", &number) == GPUSUPERNODAL_OK && number == 2.0);
  CHECK(gpusupernodal_variable_batch_report_text(handle, 1, "factor.status", &text) == GPUSUPERNODAL_OK);
  CHECK(strcmp(text, is_definite ? "success" : "not_positive_definite") == 0);
  CHECK(gpusupernodal_variable_batch_set_wanted(handle, NULL, 0) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_variable_batch_set_stream(handle, NULL) == GPUSUPERNODAL_OK);
  gpusupernodal_variable_batch_destroy(handle);
}

void variable_batch(void) {
  solves_variable(4.0);
  solves_variable(-4.0);
  for (int scalar = GPUSUPERNODAL_FLOAT; scalar <= GPUSUPERNODAL_COMPLEX_DOUBLE; ++scalar) {
    gpusupernodal_variable_batch* handle = made_variable_batch(scalar);
    const char* value = NULL;
    CHECK(gpusupernodal_variable_batch_get_option(handle, "threads", &value) == GPUSUPERNODAL_OK && strcmp(value, "2") == 0);
    CHECK(gpusupernodal_variable_batch_analyze(handle, NULL, 0) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_variable_batch_refactorize(handle, NULL, 0, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_variable_batch_solve(handle, NULL, NULL, 0) == GPUSUPERNODAL_OK);
    gpusupernodal_variable_batch_destroy(handle);
  }
}

static void expect_variable(gpusupernodal_variable_batch* handle, gpusupernodal_code code, const char* part) {
  CHECK(code == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(strstr(gpusupernodal_variable_batch_message(handle), part) != NULL);
}

void variable_batch_mistakes(void) {
  struct variable_problem p;
  make_variable_problem(&p, 4.0);
  gpusupernodal_variable_batch* handle = NULL;
  CHECK(gpusupernodal_variable_batch_create(4, &handle) == GPUSUPERNODAL_INVALID_INPUT && handle == NULL);
  CHECK(gpusupernodal_variable_batch_create(GPUSUPERNODAL_DOUBLE, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_variable_batch_set_stream(NULL, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(strstr(gpusupernodal_variable_batch_message(NULL), "null") != NULL);
  gpusupernodal_variable_batch_destroy(NULL);
  handle = made_variable_batch(GPUSUPERNODAL_DOUBLE);
  int32_t statuses[system_count];
  int64_t pattern = 0;
  double number = 0.0;
  CHECK(gpusupernodal_variable_batch_refactorize(handle, p.values, 4, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_INVALID_STATE);
  expect_variable(handle, gpusupernodal_variable_batch_set_option(handle, "trace", "true"), "batches keep no trace");
  expect_variable(handle, gpusupernodal_variable_batch_get_option(handle, "threads", NULL), "null");
  expect_variable(handle, gpusupernodal_variable_batch_analyze(handle, NULL, 2), "null");
  expect_variable(handle, gpusupernodal_variable_batch_analyze(handle, p.systems, -1), "list of matrices");
  p.systems[1].n = -3;
  expect_variable(handle, gpusupernodal_variable_batch_analyze(handle, p.systems, 4), "system 1: ");
  p.systems[1].n = small_order;
  CHECK(gpusupernodal_variable_batch_analyze(handle, p.systems, 4) == GPUSUPERNODAL_OK);
  expect_variable(handle, gpusupernodal_variable_batch_refactorize(handle, p.values, 3, GPUSUPERNODAL_HOST), "the batch has 4");
  expect_variable(handle, gpusupernodal_variable_batch_refactorize(handle, NULL, 4, GPUSUPERNODAL_HOST), "null");
  expect_variable(handle, gpusupernodal_variable_batch_refactorize(handle, p.values, 4, 7), "space");
  expect_variable(handle, gpusupernodal_variable_batch_refactorize(handle, p.values, 4, GPUSUPERNODAL_DEVICE),
                  "device memory was given");
  p.values[1] = NULL;
  expect_variable(handle, gpusupernodal_variable_batch_refactorize(handle, p.values, 4, GPUSUPERNODAL_HOST), "system 1 has no");
  expect_variable(handle, gpusupernodal_variable_batch_solve(handle, NULL, NULL, 4), "null");
  const gpusupernodal_dense one = {p.small, 1, 0, GPUSUPERNODAL_HOST};
  expect_variable(handle, gpusupernodal_variable_batch_solve(handle, &one, &one, 1), "the batch has 4");
  expect_variable(handle, gpusupernodal_variable_batch_solve_part(handle, 9, &one, &one, 1), "part");
  expect_variable(handle, gpusupernodal_variable_batch_set_wanted(handle, NULL, 4), "null");
  expect_variable(handle, gpusupernodal_variable_batch_statuses(handle, statuses, 3), "the batch has 4");
  expect_variable(handle, gpusupernodal_variable_batch_solve_statuses(handle, NULL, 4), "null");
  expect_variable(handle, gpusupernodal_variable_batch_patterns(handle, NULL), "null");
  expect_variable(handle, gpusupernodal_variable_batch_pattern_of(handle, 4, &pattern), "there is no system 4");
  CHECK(gpusupernodal_variable_batch_report_number(handle, 0, "factor.growth", &number) == GPUSUPERNODAL_INVALID_STATE);
  expect_variable(handle, gpusupernodal_variable_batch_report_text(handle, 0, "factor.status", NULL), "null");
  gpusupernodal_variable_batch_destroy(handle);
}
