// Uses the C interface from a C99 program.
// Usage: c_interface_test NAME

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem.h"

// Entries of the answer are at most 1 and the condition is below 9, so forward errors are below 4·n·eps·condition.
static const double bound_double = 4.0 * order * DBL_EPSILON * 9.0;
static const double bound_float = 4.0 * order * FLT_EPSILON * 9.0;

static double answer[order], right[order];

static void make_answer(void) {
  for (int i = 0; i < order; ++i) answer[i] = 1.0 / (1.0 + i);
  multiply(answer, right);
}

static gpusupernodal_dense dense(void* data, int64_t columns) {
  gpusupernodal_dense view = {data, columns, 0, GPUSUPERNODAL_HOST};
  return view;
}

static void solve_form(int scalar, int index, int part, int compression) {
  struct problem p;
  make_problem(&p, scalar, index, part, compression);
  gpusupernodal_solver* solver = made(scalar);
  CHECK(gpusupernodal_analyze(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_refactorize(solver, p.a.values, p.entries, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  float xf[2 * order];
  double xd[2 * order];
  for (int i = 0; i < 2 * order; ++i) xf[i] = (float)(xd[i] = right[i % order]);
  gpusupernodal_dense x = dense(scalar == GPUSUPERNODAL_FLOAT ? (void*)xf : (void*)xd, 2);
  CHECK(gpusupernodal_solve(solver, &x, &x) == GPUSUPERNODAL_OK);
  if (scalar == GPUSUPERNODAL_FLOAT) {
    for (int i = 0; i < 2 * order; ++i) xd[i] = xf[i];
  }
  double bound = scalar == GPUSUPERNODAL_FLOAT ? bound_float : bound_double;
  CHECK(distance(xd, answer) <= bound && distance(xd + order, answer) <= bound);
  gpusupernodal_destroy(solver);
}

static void every_form(void) {
  for (int scalar = 0; scalar <= 1; ++scalar) {
    for (int index = 0; index <= 1; ++index) {
      for (int part = 0; part <= 2; ++part) {
        for (int compression = 0; compression <= 1; ++compression) solve_form(scalar, index, part, compression);
      }
    }
  }
}

static void options(void) {
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_FLOAT);
  const char* value = NULL;
  int count = 0;
  for (const char* name; (name = gpusupernodal_option_name(count)) != NULL; ++count) {
    CHECK(gpusupernodal_get_option(solver, name, &value) == GPUSUPERNODAL_OK);
    char copy[64];
    const int may_be_empty = strcmp(name, "device_profile") == 0 || strcmp(name, "devices") == 0;
    CHECK((strlen(value) > 0 || may_be_empty) && strlen(value) < sizeof copy);
    strcpy(copy, value);
    CHECK(gpusupernodal_set_option(solver, name, copy) == GPUSUPERNODAL_OK);
    expect(solver, gpusupernodal_set_option(solver, name, "purple"), GPUSUPERNODAL_INVALID_INPUT, name);
  }
  CHECK(count == 28 && gpusupernodal_option_name(-1) == NULL);
  CHECK(gpusupernodal_set_option(solver, "ordering", "amd") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_get_option(solver, "ordering", &value) == GPUSUPERNODAL_OK && strcmp(value, "amd") == 0);
  expect(solver, gpusupernodal_set_option(solver, "merge_width", "0"), GPUSUPERNODAL_INVALID_INPUT, "at least 1");
  CHECK(gpusupernodal_get_option(solver, "merge_width", &value) == GPUSUPERNODAL_OK && strcmp(value, "64") == 0);
  expect(solver, gpusupernodal_set_option(solver, "threads", "99999999999"), GPUSUPERNODAL_INVALID_INPUT, "range");
  expect(solver, gpusupernodal_set_option(solver, "colour", "red"), GPUSUPERNODAL_INVALID_INPUT, "no option 'colour'");
  gpusupernodal_destroy(solver);
}

static double report_of(gpusupernodal_solver* solver, const char* name) {
  double number = NAN;
  CHECK(gpusupernodal_report_number(solver, name, &number) == GPUSUPERNODAL_OK);
  return number;
}

/// Options that change after a factorization take effect with the next solve, factorize or analyze, as in C++.
static void option_effects(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  double y[order], with_nan[order];
  gpusupernodal_dense b = dense(right, 1), x = dense(y, 1), bad = dense(with_nan, 1);
  memcpy(with_nan, right, sizeof with_nan);
  with_nan[3] = NAN;
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT;
  CHECK(gpusupernodal_solve(solver, &bad, &x) == invalid);
  CHECK(gpusupernodal_set_option(solver, "check_right_hand_sides", "false") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve(solver, &bad, &x) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "refinement.max_steps", "2") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_set_option(solver, "merging", "none") == GPUSUPERNODAL_OK);
  const double supernodes = report_of(solver, "analyze.supernodes");
  CHECK(gpusupernodal_solve(solver, &b, &x) == GPUSUPERNODAL_OK && report_of(solver, "solve.backward_error") < 0.0);
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve(solver, &b, &x) == GPUSUPERNODAL_OK && report_of(solver, "solve.backward_error") >= 0.0);
  CHECK(gpusupernodal_set_option(solver, "refinement.backward_error", "1.0") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve(solver, &b, &x) == GPUSUPERNODAL_OK && report_of(solver, "solve.refinement_steps") > 0.0);
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve(solver, &b, &x) == GPUSUPERNODAL_OK && report_of(solver, "solve.refinement_steps") == 0.0);
  CHECK(report_of(solver, "analyze.supernodes") == supernodes);
  CHECK(gpusupernodal_analyze(solver, &p.a) == GPUSUPERNODAL_OK);
  CHECK(report_of(solver, "analyze.supernodes") > supernodes);
  gpusupernodal_destroy(solver);
}

static void null_pointers(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  double number = 0.0;
  const char* text = NULL;
  int64_t indices[order + 1];
  gpusupernodal_dense x = dense(answer, 1);
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT;
  // Pass a null solver and a null matrix in alternation.
  for (int with = 0; with <= 1; ++with) {
    gpusupernodal_solver* s = with ? solver : NULL;
    const gpusupernodal_matrix* a = with ? NULL : &p.a;
    CHECK(gpusupernodal_set_option(s, NULL, "host") == invalid && gpusupernodal_set_option(s, "backend", NULL) == invalid);
    CHECK(gpusupernodal_get_option(s, NULL, &text) == invalid && gpusupernodal_get_option(s, "backend", NULL) == invalid);
    CHECK(gpusupernodal_set_permutation(s, NULL, order) == invalid);
    CHECK(gpusupernodal_set_last_rows(s, NULL, NULL, 1) == invalid);
    CHECK(gpusupernodal_analyze(s, a) == invalid && gpusupernodal_factorize(s, a) == invalid);
    CHECK(gpusupernodal_compute(s, a) == invalid && gpusupernodal_refactorize(s, NULL, p.entries, 0) == invalid);
    CHECK(gpusupernodal_solve(s, NULL, &x) == invalid && gpusupernodal_solve(s, &x, NULL) == invalid);
    CHECK(gpusupernodal_report_number(s, NULL, &number) == invalid);
    CHECK(gpusupernodal_report_number(s, "analyze.n", NULL) == invalid);
    CHECK(gpusupernodal_report_text(s, NULL, &text) == invalid);
    CHECK(gpusupernodal_report_text(s, "analyze.device", NULL) == invalid);
    CHECK(gpusupernodal_old_of_new(s, NULL, order) == invalid && gpusupernodal_log_determinant(s, NULL) == invalid);
    CHECK(gpusupernodal_reciprocal_condition(s, a, &number) == invalid);
    CHECK(gpusupernodal_reciprocal_condition(s, &p.a, NULL) == invalid);
    CHECK(gpusupernodal_extract_l(s, NULL, indices, answer, 0) == invalid);
    CHECK(gpusupernodal_extract_l(s, indices, NULL, answer, 0) == invalid);
    CHECK(gpusupernodal_save_plan(s, NULL) == invalid && gpusupernodal_load_plan(s, a, "plan") == invalid);
    CHECK(strstr(gpusupernodal_message(s), "null pointer") != NULL);
  }
  CHECK(gpusupernodal_set_stream(NULL, NULL) == invalid && gpusupernodal_set_shift(NULL, 0.0, 1.0) == invalid);
  CHECK(gpusupernodal_status(NULL) == invalid && gpusupernodal_reserve_right_hand_sides(NULL, 1) == invalid);
  CHECK(gpusupernodal_create(GPUSUPERNODAL_FLOAT, NULL) == invalid && gpusupernodal_backend_available(NULL) == 0);
  gpusupernodal_matrix empty = {0};
  empty.n = 3;
  CHECK(gpusupernodal_compute(solver, &empty) == invalid);
  gpusupernodal_destroy(NULL);
  // The solver still has its factor.
  double y[order];
  gpusupernodal_dense b = dense(right, 1), out = dense(y, 1);
  CHECK(gpusupernodal_solve(solver, &b, &out) == GPUSUPERNODAL_OK && distance(y, answer) <= bound_double);
  gpusupernodal_destroy(solver);
}

static void outcomes(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  gpusupernodal_dense x = dense(right, 1);
  p.values_d[0] = -1.0;
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_status(solver), GPUSUPERNODAL_NOT_POSITIVE_DEFINITE, "the pivot of column ");
  expect(solver, gpusupernodal_solve(solver, &x, &x), GPUSUPERNODAL_NUMERICAL_FAILURE, "needs a factor");
  CHECK(gpusupernodal_set_shift(solver, 10.0, 1.0) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(solver) == GPUSUPERNODAL_OK);
  p.values_d[1] = NAN;
  CHECK(gpusupernodal_factorize(solver, &p.a) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_status(solver), GPUSUPERNODAL_NON_FINITE_INPUT, "row 1, column 0");
  CHECK(gpusupernodal_set_shift(solver, NAN, 1.0) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_destroy(solver);
}

static void states(void) {
  struct problem p;
  make_problem(&p, GPUSUPERNODAL_DOUBLE, GPUSUPERNODAL_INT64, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS);
  gpusupernodal_solver* solver = made(GPUSUPERNODAL_DOUBLE);
  gpusupernodal_dense x = dense(right, 1);
  int64_t offsets[order + 1] = {0};
  double number = 0.0;
  expect(solver, gpusupernodal_factorize(solver, &p.a), GPUSUPERNODAL_INVALID_STATE, "before analyze");
  expect(solver, gpusupernodal_status(solver), GPUSUPERNODAL_INVALID_STATE, "status was called before analyze");
  expect(solver, gpusupernodal_extract_l(solver, offsets, NULL, NULL, 0), GPUSUPERNODAL_INVALID_STATE,
         "extract_l was called before analyze");
  expect(solver, gpusupernodal_log_determinant(solver, &number), GPUSUPERNODAL_INVALID_STATE,
         "log_determinant was called before analyze");
  expect(solver, gpusupernodal_reciprocal_condition(solver, &p.a, &number), GPUSUPERNODAL_INVALID_STATE,
         "reciprocal_condition was called before analyze");
  expect(solver, gpusupernodal_save_plan(solver, "plan"), GPUSUPERNODAL_INVALID_STATE, "before analyze");
  CHECK(gpusupernodal_analyze(solver, &p.a) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_solve(solver, &x, &x), GPUSUPERNODAL_INVALID_STATE, "before factorize");
  p.a.part = 3;
  expect(solver, gpusupernodal_compute(solver, &p.a), GPUSUPERNODAL_INVALID_INPUT, "part is 3; it must be 0 to 2");
  p.a.part = GPUSUPERNODAL_FULL;
  p.indices64[0] = order;
  expect(solver, gpusupernodal_compute(solver, &p.a), GPUSUPERNODAL_INVALID_INPUT, "36");
  p.indices64[0] = 0;
  CHECK(gpusupernodal_compute(solver, &p.a) == GPUSUPERNODAL_OK);
  expect(solver, gpusupernodal_solve_part(solver, 9, &x, &x), GPUSUPERNODAL_INVALID_INPUT, "part of the solve is 9");
  x.ld = order - 1;
  expect(solver, gpusupernodal_solve(solver, &x, &x), GPUSUPERNODAL_INVALID_INPUT, "leading dimension");
  expect(solver, gpusupernodal_refactorize(solver, p.values_d, 3, 0), GPUSUPERNODAL_INVALID_INPUT, "3 values");
  expect(solver, gpusupernodal_refactorize(solver, p.values_d, -3, 0), GPUSUPERNODAL_INVALID_INPUT, "-3 values");
  gpusupernodal_destroy(solver);
  expect(NULL, gpusupernodal_create(5, &solver), GPUSUPERNODAL_INVALID_INPUT, "the scalar is 5");
  CHECK(solver == NULL);
}

static void reports(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  double number = NAN;
  const char* text = NULL;
  int numbers = 0, texts = 0;
  for (const char* name; (name = gpusupernodal_report_number_name(numbers)) != NULL; ++numbers) {
    CHECK(gpusupernodal_report_number(solver, name, &number) == GPUSUPERNODAL_OK && !isnan(number));
  }
  for (const char* name; (name = gpusupernodal_report_text_name(texts)) != NULL; ++texts) {
    CHECK(gpusupernodal_report_text(solver, name, &text) == GPUSUPERNODAL_OK && text != NULL);
  }
  CHECK(numbers == 42 && texts == 9);
  CHECK(gpusupernodal_report_number(solver, "analyze.n", &number) == GPUSUPERNODAL_OK && number == order);
  CHECK(gpusupernodal_report_text(solver, "analyze.backend", &text) == GPUSUPERNODAL_OK && strcmp(text, "host") == 0);
  CHECK(gpusupernodal_report_number(solver, "analyze.memory.host", &number) == GPUSUPERNODAL_OK && number == 0.0);
  CHECK(gpusupernodal_report_text(solver, "factor.status", &text) == GPUSUPERNODAL_OK && strcmp(text, "success") == 0);
  expect(solver, gpusupernodal_report_number(solver, "n", &number), GPUSUPERNODAL_INVALID_INPUT, "no number 'n'");
  expect(solver, gpusupernodal_report_text(solver, "n", &text), GPUSUPERNODAL_INVALID_INPUT, "no text 'n'");
  gpusupernodal_destroy(solver);
  solver = made(GPUSUPERNODAL_FLOAT);
  CHECK(gpusupernodal_report_number(solver, "factor.factorizations", &number) == GPUSUPERNODAL_OK && number == 0.0);
  gpusupernodal_destroy(solver);
  CHECK(strchr(gpusupernodal_version(), '.') != NULL && gpusupernodal_backend_available("host") == 1);
  CHECK(gpusupernodal_backend_available("abacus") == 0);
  CHECK(strstr(gpusupernodal_message(NULL), "no backend 'abacus'") != NULL);
  CHECK(gpusupernodal_backend_available("cuda") == 1 || strstr(gpusupernodal_message(NULL), "CUDA") != NULL);
  CHECK(gpusupernodal_built_with("complex_double") == 1 && gpusupernodal_built_with("lu") == 1);
  CHECK(gpusupernodal_built_with("half") == 0 && gpusupernodal_built_with(NULL) == 0);
}

static void parts(void) {
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  double x[order];
  gpusupernodal_dense b = dense(right, 1), view = dense(x, 1);
  const int steps[] = {GPUSUPERNODAL_P, GPUSUPERNODAL_L, GPUSUPERNODAL_LT, GPUSUPERNODAL_PT};
  memcpy(x, right, sizeof x);
  for (int i = 0; i < 4; ++i) CHECK(gpusupernodal_solve_part(solver, steps[i], &view, &view) == GPUSUPERNODAL_OK);
  CHECK(distance(x, answer) <= bound_double);
  CHECK(gpusupernodal_reserve_right_hand_sides(solver, 4) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve_part(solver, GPUSUPERNODAL_FORWARD, &b, &view) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_solve_part(solver, GPUSUPERNODAL_BACKWARD, &view, &view) == GPUSUPERNODAL_OK);
  CHECK(distance(x, answer) <= bound_double);
  gpusupernodal_destroy(solver);
}

static void plans(void) {
  const char* const file = "c_interface_test.plan";
  struct problem p;
  gpusupernodal_solver* solver = computed(&p);
  CHECK(gpusupernodal_save_plan(solver, file) == GPUSUPERNODAL_OK);
  gpusupernodal_solver* other = made(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_load_plan(other, &p.a, file) == GPUSUPERNODAL_OK);
  const char* source = NULL;
  CHECK(gpusupernodal_report_text(other, "analyze.plan_source", &source) == GPUSUPERNODAL_OK);
  CHECK(strcmp(source, "file") == 0);
  CHECK(gpusupernodal_factorize(other, &p.a) == GPUSUPERNODAL_OK && gpusupernodal_status(other) == GPUSUPERNODAL_OK);
  remove(file);
  expect(other, gpusupernodal_load_plan(other, &p.a, file), GPUSUPERNODAL_INVALID_INPUT, file);
  gpusupernodal_destroy(other);
  gpusupernodal_destroy(solver);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {{"every_form", every_form},
               {"options", options},
               {"lists_of_devices", lists_of_devices},
               {"device_memory", device_memory},
               {"null_pointers", null_pointers},
               {"outcomes", outcomes},
               {"states", states},
               {"reports", reports},
               {"factor", factor},
               {"parts", parts},
               {"plans", plans},
               {"last_rows", last_rows},
               {"option_effects", option_effects},
               {"counts", counts},
               {"ldlt", ldlt},
               {"lu", lu},
               {"operator_products", operator_products},
               {"operator_mistakes", operator_mistakes},
               {"products", products},
               {"galerkin_products", galerkin_products},
               {"product_mistakes", product_mistakes},
               {"normal_equations", normal_equations},
               {"normal_mistakes", normal_mistakes},
               {"pcg", pcg},
               {"batch", batch},
               {"batch_mistakes", batch_mistakes},
               {"variable_batch", variable_batch},
               {"variable_batch_mistakes", variable_batch_mistakes},
               {"systems", systems},
               {"complex_numbers", complex_numbers}};
  CHECK(argc == 2);
  make_answer();
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (strcmp(argv[1], tests[i].name) != 0) continue;
    tests[i].run();
    return 0;
  }
  printf("there is no test %s\n", argv[1]);
  return 1;
}
