// Products with a rectangular and a symmetric matrix.

#include <math.h>
#include <string.h>

#include "problem.h"

/// [1 0 2; 0 3 0] by rows.
static gpusupernodal_sparse rectangular(const double* values) {
  static const int32_t offsets[] = {0, 2, 3}, indices[] = {0, 2, 1};
  const gpusupernodal_sparse a = {
      2, 3, offsets, indices, values, GPUSUPERNODAL_INT32, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS, GPUSUPERNODAL_HOST};
  return a;
}

static gpusupernodal_operator* host_operator(int scalar) {
  gpusupernodal_operator* op = NULL;
  CHECK(gpusupernodal_operator_create(scalar, &op) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "transposed", "true") == GPUSUPERNODAL_OK);
  return op;
}

/// [1 0 2; 0 3 0] as 1 = 0.5 + 0.5, and then other values.
static void operator_triples(void) {
  const int64_t rows[] = {1, 0, 0, 0}, columns[] = {1, 0, 2, 0};
  const double values[] = {3.0, 0.5, 2.0, 0.5}, others[] = {1.0, 2.0, 4.0, 8.0};
  double x[] = {1.0, 2.0, 3.0}, y[] = {NAN, NAN};
  const gpusupernodal_dense from = {x, 1, 0, GPUSUPERNODAL_HOST}, to = {y, 1, 0, GPUSUPERNODAL_HOST};
  gpusupernodal_triples a = {2, 3, 4, rows, columns, values, GPUSUPERNODAL_INT64, GPUSUPERNODAL_FULL, GPUSUPERNODAL_HOST};
  gpusupernodal_operator* op = host_operator(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_operator_analyze_triples(op, &a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_multiply(op, 0, 1.0, &from, 0.0, &to) == GPUSUPERNODAL_OK);
  CHECK(y[0] == 7.0 && y[1] == 6.0);
  CHECK(gpusupernodal_operator_update(op, others, 4, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_multiply(op, 0, 1.0, &from, 0.0, &to) == GPUSUPERNODAL_OK);
  CHECK(y[0] == 22.0 && y[1] == 2.0);
  const char* figures = NULL;
  CHECK(gpusupernodal_operator_report_text(op, "figures", &figures) == GPUSUPERNODAL_OK && strlen(figures) > 0);
  a.rows = 1;
  CHECK(gpusupernodal_operator_analyze_triples(op, &a) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(strstr(gpusupernodal_operator_message(op), "triple 0 is in row 1") != NULL);
  CHECK(gpusupernodal_operator_analyze_triples(op, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_analyze_triples(NULL, &a) == GPUSUPERNODAL_INVALID_INPUT);
  gpusupernodal_operator_destroy(op);
}

void operator_products(void) {
  const double values[] = {1.0, 2.0, 3.0}, others[] = {-1.0, 4.0, 5.0};
  double x[] = {1.0, 2.0, 3.0}, y[] = {1.0, 1.0}, z[] = {NAN, NAN, NAN};
  const gpusupernodal_dense from = {x, 1, 0, GPUSUPERNODAL_HOST}, to = {y, 1, 0, GPUSUPERNODAL_HOST},
                            back = {z, 1, 0, GPUSUPERNODAL_HOST};
  gpusupernodal_operator* op = host_operator(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_operator_set_option(op, "format", "csr") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "tuning", "measured") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "threads", "1") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_set_option(op, "device", "-1") == GPUSUPERNODAL_OK);
  const gpusupernodal_sparse a = rectangular(values);
  CHECK(gpusupernodal_operator_analyze(op, &a) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_multiply(op, 0, 2.0, &from, 1.0, &to) == GPUSUPERNODAL_OK);
  CHECK(y[0] == 15.0 && y[1] == 13.0);
  operator_triples();
  CHECK(gpusupernodal_operator_update(op, others, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_operator_multiply(op, 1, 1.0, &to, 0.0, &back) == GPUSUPERNODAL_OK);
  CHECK(z[0] == -15.0 && z[1] == 65.0 && z[2] == 60.0);
  double entries = 0.0;
  const char* kernel = NULL;
  CHECK(gpusupernodal_operator_report_number(op, "entries", &entries) == GPUSUPERNODAL_OK);
  CHECK(entries == 3.0);
  CHECK(gpusupernodal_operator_report_text(op, "format", &kernel) == GPUSUPERNODAL_OK);
  CHECK(strcmp(kernel, "csr") == 0);
  CHECK(gpusupernodal_operator_report_text(op, "kernel", &kernel) == GPUSUPERNODAL_OK && strstr(kernel, "csr") != NULL);
  gpusupernodal_operator_destroy(op);
}

void operator_mistakes(void) {
  gpusupernodal_operator* op = NULL;
  CHECK(gpusupernodal_operator_create(GPUSUPERNODAL_COMPLEX_DOUBLE + 1, &op) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(op == NULL && strlen(gpusupernodal_operator_message(NULL)) > 0);
  CHECK(gpusupernodal_operator_create(GPUSUPERNODAL_FLOAT, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_analyze(NULL, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  op = host_operator(GPUSUPERNODAL_FLOAT);
  CHECK(gpusupernodal_operator_set_option(op, "format", "dense") == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_set_option(op, "threads", "1x") == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_set_option(op, "ordering", "amd") == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_analyze(op, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_multiply(op, 0, 1.0, NULL, 0.0, NULL) == GPUSUPERNODAL_INVALID_INPUT);
  const gpusupernodal_dense none = {NULL, 0, 0, GPUSUPERNODAL_HOST};
  CHECK(gpusupernodal_operator_multiply(op, 0, 1.0, &none, 0.0, &none) == GPUSUPERNODAL_INVALID_STATE);
  CHECK(strstr(gpusupernodal_operator_message(op), "call analyze first") != NULL);
  double number = 0.0;
  const char* text = NULL;
  CHECK(gpusupernodal_operator_report_number(op, "speed", &number) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_report_text(op, "speed", &text) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_update(op, NULL, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_operator_set_stream(op, NULL) == GPUSUPERNODAL_OK);
  gpusupernodal_operator_destroy(op);
  gpusupernodal_operator_destroy(NULL);
}
