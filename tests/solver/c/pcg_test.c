// Solves by conjugate gradients, with preconditioners of the library and functions of the caller.

#include <math.h>
#include <string.h>

#include "problem.h"

static gpusupernodal_pcg* made_pcg(int scalar) {
  gpusupernodal_pcg* pcg = NULL;
  CHECK(gpusupernodal_pcg_create(scalar, &pcg) == GPUSUPERNODAL_OK && pcg != NULL);
  CHECK(gpusupernodal_pcg_set_option(pcg, "backend", "host") == GPUSUPERNODAL_OK);
  return pcg;
}

static void expect_pcg(gpusupernodal_pcg* pcg, gpusupernodal_code code, gpusupernodal_code wanted, const char* part) {
  CHECK(code == wanted);
  CHECK(strstr(gpusupernodal_pcg_message(pcg), part) != NULL);
}

static double number_of(gpusupernodal_pcg* pcg, const char* name) {
  double value = -7.0;
  CHECK(gpusupernodal_pcg_report_number(pcg, 0, name, &value) == GPUSUPERNODAL_OK);
  return value;
}

static void solves(int scalar) {
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
  const char* const names[] = {"auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0", "factor"};
  for (int k = 0; k < 8; ++k) {
    gpusupernodal_pcg* pcg = made_pcg(scalar);
    CHECK(gpusupernodal_pcg_set_option(pcg, "preconditioner", names[k]) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_pcg_set_stream(pcg, NULL) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_pcg_analyze(pcg, &p.a) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_pcg_update(pcg, p.a.values, p.entries, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_pcg_solve(pcg, &b, &x, 0) == GPUSUPERNODAL_OK);
    const char* text = NULL;
    CHECK(gpusupernodal_pcg_report_text(pcg, 0, "status", &text) == GPUSUPERNODAL_OK && strcmp(text, "converged") == 0);
    CHECK(gpusupernodal_pcg_report_text(pcg, 0, "preconditioner", &text) == GPUSUPERNODAL_OK);
    CHECK(strcmp(text, k == 0 ? "fsai" : names[k]) == 0);
    CHECK(number_of(pcg, "iterations") <= order);
    for (int i = 0; i < order; ++i) CHECK(fabs((is_float ? (double)x_f[i] : x_d[i]) - 1.0) <= (is_float ? 1e-3 : 1e-8));
    CHECK(gpusupernodal_pcg_solve(pcg, &b, &x, 1) == GPUSUPERNODAL_OK && number_of(pcg, "iterations") == 0.0);
    gpusupernodal_pcg_destroy(pcg);
  }
}

static int product(void* context, const void* x, void* y, int64_t n, void* stream) {
  CHECK(n == order && stream == NULL);
  ++*(int*)context;
  multiply(x, y);
  return 0;
}

static int halve(void* context, const void* r, void* z, int64_t n, void* stream) {
  (void)stream;
  ++*(int*)context;
  for (int64_t i = 0; i < n; ++i) ((double*)z)[i] = 0.5 * ((const double*)r)[i];
  return 0;
}

static int refuse(void* context, const void* r, void* z, int64_t n, void* stream) {
  (void)context, (void)r, (void)z, (void)n, (void)stream;
  return 42;
}

static void takes_functions(void) {
  double ones[order], right[order], solution[order];
  for (int i = 0; i < order; ++i) ones[i] = 1.0;
  multiply(ones, right);
  const gpusupernodal_dense b = {right, 1, 0, GPUSUPERNODAL_HOST};
  const gpusupernodal_dense x = {solution, 1, 0, GPUSUPERNODAL_HOST};
  int products = 0, inverses = 0;
  gpusupernodal_pcg* pcg = made_pcg(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_pcg_set_operator(pcg, order, product, &products) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_pcg_set_preconditioner(pcg, halve, &inverses) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_pcg_solve(pcg, &b, &x, 0) == GPUSUPERNODAL_OK);
  CHECK(distance(solution, ones) <= 1e-8 && products > 0 && inverses > 0);
  CHECK(number_of(pcg, "foreign_preconditioner") == 1.0);
  CHECK(gpusupernodal_pcg_set_preconditioner(pcg, refuse, NULL) == GPUSUPERNODAL_OK);
  expect_pcg(pcg, gpusupernodal_pcg_solve(pcg, &b, &x, 0), GPUSUPERNODAL_CANCELLED, "42");
  CHECK(gpusupernodal_pcg_set_preconditioner(pcg, NULL, NULL) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_pcg_solve(pcg, &b, &x, 0) == GPUSUPERNODAL_OK);
  CHECK(distance(solution, ones) <= 1e-8);
  gpusupernodal_pcg_destroy(pcg);
}

static void refuses(void) {
  gpusupernodal_pcg* none = NULL;
  CHECK(gpusupernodal_pcg_create(GPUSUPERNODAL_COMPLEX_DOUBLE + 1, &none) == GPUSUPERNODAL_INVALID_INPUT && none == NULL);
  CHECK(gpusupernodal_pcg_create(GPUSUPERNODAL_FLOAT, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_pcg_compute(NULL, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_pcg_destroy(NULL);
  gpusupernodal_pcg* pcg = made_pcg(GPUSUPERNODAL_DOUBLE);
  expect_pcg(pcg, gpusupernodal_pcg_set_option(pcg, "preconditoner", "jacobi"), GPUSUPERNODAL_INVALID_INPUT,
             "preconditoner");
  expect_pcg(pcg, gpusupernodal_pcg_set_option(pcg, "preconditioner", "ilu"), GPUSUPERNODAL_INVALID_INPUT, "fsai");
  expect_pcg(pcg, gpusupernodal_pcg_set_option(pcg, "tolerance", "2"), GPUSUPERNODAL_INVALID_INPUT, "2");
  expect_pcg(pcg, gpusupernodal_pcg_set_operator(pcg, 3, NULL, NULL), GPUSUPERNODAL_INVALID_INPUT, "null");
  expect_pcg(pcg, gpusupernodal_pcg_compute(pcg, NULL), GPUSUPERNODAL_INVALID_INPUT, "null");
  expect_pcg(pcg, gpusupernodal_pcg_update(pcg, NULL, -1, GPUSUPERNODAL_HOST), GPUSUPERNODAL_INVALID_INPUT, "-1");
  double value = 0.0;
  expect_pcg(pcg, gpusupernodal_pcg_report_number(pcg, 0, "iterations", &value), GPUSUPERNODAL_INVALID_INPUT, "column 0");
  int options = 0, numbers = 0;
  for (const char* name; (name = gpusupernodal_pcg_option_name(options)) != NULL; ++options) {
    const char* text = NULL;
    CHECK(gpusupernodal_pcg_get_option(pcg, name, &text) == GPUSUPERNODAL_OK);
    CHECK(gpusupernodal_pcg_set_option(pcg, name, text) == GPUSUPERNODAL_OK);
  }
  while (gpusupernodal_pcg_report_number_name(numbers) != NULL) ++numbers;
  CHECK(options == 11 && numbers == 12);
  gpusupernodal_pcg_destroy(pcg);
}

void pcg(void) {
  solves(GPUSUPERNODAL_DOUBLE);
  solves(GPUSUPERNODAL_FLOAT);
  takes_functions();
  refuses();
}
