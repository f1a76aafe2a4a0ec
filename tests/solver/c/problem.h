#ifndef GPUSUPERNODAL_TESTS_PROBLEM_H
#define GPUSUPERNODAL_TESTS_PROBLEM_H

// The five-point Laplacian of a small grid in every form that a gpusupernodal_matrix can have.

#include <gpusupernodal.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

enum { side = 6, order = side * side, most_entries = 5 * order };

struct problem {
  gpusupernodal_matrix a;
  int scalar;
  int64_t entries;
  int32_t offsets32[order + 1], indices32[most_entries];
  int64_t offsets64[order + 1], indices64[most_entries];
  float values_f[most_entries];
  double values_d[most_entries];
};

/// Fills `p`; p->a points into `p`. scalar, index, part: values of the enumerations in gpusupernodal.h. Because the matrix
/// is symmetric, the compression only decides which half `part` means.
void make_problem(struct problem* p, int scalar, int index, int part, int compression);
/// Computes y = A·x in double.
void multiply(const double* x, double* y);
/// Returns max |x − y|.
double distance(const double* x, const double* y);

/// Creates a solver on the host. scalar: a gpusupernodal_scalar.
gpusupernodal_solver* made(int scalar);
/// Makes a problem in `p` and returns a double solver with its factor.
gpusupernodal_solver* computed(struct problem* p);
/// Exits with status 1 unless `code` equals `wanted` and the solver's message contains `part`.
void expect(gpusupernodal_solver* solver, gpusupernodal_code code, gpusupernodal_code wanted, const char* part);
/// Tests invalid counts and leading dimensions (counts_test.c).
void counts(void);
/// Tests options of CUDA devices (devices_test.c).
void lists_of_devices(void);
void device_memory(void);
/// Tests orders and L (factor_test.c).
void last_rows(void);
void factor(void);
/// Tests the form ldlt (ldlt_test.c).
void ldlt(void);
/// Tests the form lu (lu_test.c).
void lu(void);
/// Tests products (operator_test.c).
void operator_products(void);
void operator_mistakes(void);
/// Tests conjugate gradients (pcg_test.c).
void pcg(void);
/// Tests batches (batch_test.c).
void batch(void);
void batch_mistakes(void);
void variable_batch(void);
void variable_batch_mistakes(void);
/// Tests products of sparse matrices (product_test.c).
void products(void);
void galerkin_products(void);
void product_mistakes(void);
void normal_equations(void);
void normal_mistakes(void);
/// Tests gpusupernodal_system_solver (system_test.c).
void systems(void);
/// Tests complex scalars (complex_test.c).
void complex_numbers(void);

#endif
