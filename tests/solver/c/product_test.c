// Products of sparse matrices.

#include <gpusupernodal_product.h>
#include <math.h>
#include <string.h>

#include "problem.h"

/// [1 0 2; 0 3 0] by rows; by columns it is the transpose.
static gpusupernodal_sparse stored(int transposed) {
  static const int32_t offsets[] = {0, 2, 3}, indices[] = {0, 2, 1};
  const gpusupernodal_sparse a = {transposed ? 3 : 2,
                                  transposed ? 2 : 3,
                                  offsets,
                                  indices,
                                  NULL,
                                  GPUSUPERNODAL_INT32,
                                  GPUSUPERNODAL_FULL,
                                  transposed ? GPUSUPERNODAL_COLUMNS : GPUSUPERNODAL_ROWS,
                                  GPUSUPERNODAL_HOST};
  return a;
}

static gpusupernodal_product* host_product(int scalar) {
  gpusupernodal_product* product = NULL;
  CHECK(gpusupernodal_product_create(scalar, &product) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_set_option(product, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_set_option(product, "threads", "2") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_set_option(product, "device", "-1") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_set_stream(product, NULL) == GPUSUPERNODAL_OK);
  return product;
}

static double number_of(gpusupernodal_product* product, const char* name) {
  double value = NAN;
  CHECK(gpusupernodal_product_report_number(product, name, &value) == GPUSUPERNODAL_OK);
  return value;
}

void products(void) {
  const double values[] = {1.0, 2.0, 3.0}, others[] = {1.0, -1.0, 2.0};
  const float narrow[] = {1.0f, 2.0f, 3.0f};
  const gpusupernodal_sparse a = stored(0), at = stored(1);
  int64_t offsets[3];
  int32_t indices[2];
  double c[2];
  float d[2];
  gpusupernodal_product* product = host_product(GPUSUPERNODAL_DOUBLE);
  CHECK(gpusupernodal_product_analyze(product, &a, &at) == GPUSUPERNODAL_OK);
  CHECK(number_of(product, "rows") == 2.0 && number_of(product, "columns") == 2.0 && number_of(product, "entries") == 2.0);
  CHECK(number_of(product, "products") == 3.0 && number_of(product, "block") == 1.0);
  CHECK(number_of(product, "has_places") >= 0.0 && number_of(product, "analyze_seconds") >= 0.0);
  CHECK(number_of(product, "memory_bytes") > 0.0 && number_of(product, "peak_bytes") > 0.0);
  CHECK(number_of(product, "reference_bytes") > 0.0);
  CHECK(gpusupernodal_product_compute(product, values, 3, values, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_copy(product, offsets, indices, c) == GPUSUPERNODAL_OK);
  CHECK(offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 2 && indices[0] == 0 && indices[1] == 1);
  CHECK(c[0] == 5.0 && c[1] == 9.0);
  CHECK(gpusupernodal_product_compute(product, values, 3, others, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_copy(product, NULL, NULL, c) == GPUSUPERNODAL_OK);
  CHECK(c[0] == -1.0 && c[1] == 6.0);
  const char* text = NULL;
  CHECK(gpusupernodal_product_report_text(product, "backend", &text) == GPUSUPERNODAL_OK && strcmp(text, "host") == 0);
  CHECK(gpusupernodal_product_report_text(product, "backend_reason", &text) == GPUSUPERNODAL_OK && strlen(text) > 0);
  gpusupernodal_product_destroy(product);
  product = host_product(GPUSUPERNODAL_FLOAT);
  CHECK(gpusupernodal_product_analyze(product, &a, &at) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_compute(product, narrow, 3, narrow, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_copy(product, NULL, NULL, d) == GPUSUPERNODAL_OK && d[0] == 5.0f && d[1] == 9.0f);
  gpusupernodal_product_destroy(product);
}

/// Pᵀ·A·P for A = [2 −1; −1 2] and P = [1 0 2; 0 3 0].
void galerkin_products(void) {
  const int32_t offsets[] = {0, 2, 4}, indices[] = {0, 1, 0, 1};
  const double values[] = {2.0, -1.0, -1.0, 2.0}, p_values[] = {1.0, 2.0, 3.0};
  const double expected[] = {2.0, -3.0, 4.0, -3.0, 18.0, -6.0, 4.0, -6.0, 8.0};
  const gpusupernodal_sparse a = {2, 2, offsets, indices, NULL, GPUSUPERNODAL_INT32, GPUSUPERNODAL_FULL, GPUSUPERNODAL_ROWS,
                                  GPUSUPERNODAL_HOST};
  const gpusupernodal_sparse p = stored(0), turned = stored(1);
  double c[9];
  gpusupernodal_product* product = NULL;
  CHECK(gpusupernodal_product_create_galerkin(GPUSUPERNODAL_DOUBLE, &product) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_set_option(product, "backend", "host") == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_analyze(product, &a, &turned) == GPUSUPERNODAL_INVALID_INPUT);
  CHECK(gpusupernodal_product_analyze(product, &a, &p) == GPUSUPERNODAL_OK);
  CHECK(number_of(product, "rows") == 3.0 && number_of(product, "columns") == 3.0 && number_of(product, "entries") == 9.0);
  CHECK(gpusupernodal_product_compute(product, values, 4, p_values, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_copy(product, NULL, NULL, c) == GPUSUPERNODAL_OK);
  for (int e = 0; e < 9; ++e) CHECK(c[e] == expected[e]);
  gpusupernodal_product_destroy(product);
  const float narrow[] = {2.0f, -1.0f, -1.0f, 2.0f}, narrow_p[] = {1.0f, 2.0f, 3.0f};
  float d[9];
  CHECK(gpusupernodal_product_create_galerkin(GPUSUPERNODAL_FLOAT, &product) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_analyze(product, &a, &p) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_compute(product, narrow, 4, narrow_p, 3, GPUSUPERNODAL_HOST) == GPUSUPERNODAL_OK);
  CHECK(gpusupernodal_product_copy(product, NULL, NULL, d) == GPUSUPERNODAL_OK && d[4] == 18.0f && d[8] == 8.0f);
  gpusupernodal_product_destroy(product);
  CHECK(gpusupernodal_product_create_galerkin(7, &product) == GPUSUPERNODAL_INVALID_INPUT && product == NULL);
}

static void expect_product(gpusupernodal_product* product, gpusupernodal_code code, gpusupernodal_code wanted,
                           const char* part) {
  CHECK(code == wanted);
  CHECK(strstr(gpusupernodal_product_message(product), part) != NULL);
}

void product_mistakes(void) {
  const gpusupernodal_code invalid = GPUSUPERNODAL_INVALID_INPUT;
  const double values[] = {1.0, 2.0, 3.0};
  const gpusupernodal_sparse a = stored(0);
  double number = 0.0;
  const char* text = NULL;
  int64_t offsets[3];
  int32_t indices[4];
  gpusupernodal_product* none = NULL;
  CHECK(gpusupernodal_product_create(GPUSUPERNODAL_COMPLEX_DOUBLE, &none) == invalid && none == NULL);
  CHECK(strlen(gpusupernodal_product_message(NULL)) > 0);
  CHECK(gpusupernodal_product_create(GPUSUPERNODAL_DOUBLE, NULL) == invalid);
  CHECK(gpusupernodal_product_analyze(NULL, &a, &a) == invalid);
  gpusupernodal_product_destroy(NULL);
  gpusupernodal_product* product = host_product(GPUSUPERNODAL_DOUBLE);
  expect_product(product, gpusupernodal_product_compute(product, values, 3, values, 3, GPUSUPERNODAL_HOST),
                 GPUSUPERNODAL_INVALID_STATE, "call analyze first");
  expect_product(product, gpusupernodal_product_analyze(product, &a, &a), invalid, "as many rows of B");
  expect_product(product, gpusupernodal_product_analyze(product, &a, NULL), invalid, "B");
  expect_product(product, gpusupernodal_product_set_option(product, "threads", "1x"), invalid, "cannot be '1x'");
  expect_product(product, gpusupernodal_product_set_option(product, "backend", "gpu"), invalid, "cannot be 'gpu'");
  expect_product(product, gpusupernodal_product_set_option(product, "format", "csr"), invalid, "no option 'format'");
  expect_product(product, gpusupernodal_product_report_number(product, "speed", &number), invalid, "no number 'speed'");
  expect_product(product, gpusupernodal_product_report_text(product, "speed", &text), invalid, "no text 'speed'");
  const gpusupernodal_sparse at = stored(1);
  CHECK(gpusupernodal_product_analyze(product, &a, &at) == GPUSUPERNODAL_OK);
  expect_product(product, gpusupernodal_product_compute(product, values, 3, NULL, 3, GPUSUPERNODAL_HOST), invalid, "null");
  expect_product(product, gpusupernodal_product_compute(product, values, -1, values, 3, GPUSUPERNODAL_HOST), invalid,
                 "numbers were given for A");
  expect_product(product, gpusupernodal_product_copy(product, offsets, NULL, NULL), invalid, "null");
  expect_product(product, gpusupernodal_product_copy(product, NULL, indices, NULL), invalid, "null");
  gpusupernodal_product_destroy(product);
}
