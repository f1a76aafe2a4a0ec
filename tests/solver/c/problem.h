#ifndef GPUSUPERNODAL_TESTS_PROBLEM_H
#define GPUSUPERNODAL_TESTS_PROBLEM_H

// The five-point Laplacian of a small grid in every form that a gpusupernodal_matrix has.

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

/// Fills `p`, whose `a` points into it. scalar, index, part: as in gpusupernodal.h; as the matrix is symmetric, its
/// compression only says which half is which.
void make_problem(struct problem* p, int scalar, int index, int part, int compression);
/// Writes A·x in double.
void multiply(const double* x, double* y);
/// max |x − y|
double distance(const double* x, const double* y);

/// A new solver on the host of a gpusupernodal_scalar.
gpusupernodal_solver* made(int scalar);
/// A solver of double with the factor of a problem that is made in `p`.
gpusupernodal_solver* computed(struct problem* p);
/// Ends the program unless the last call returned `wanted` and its sentence contains `part`.
void expect(gpusupernodal_solver* solver, gpusupernodal_code code, gpusupernodal_code wanted, const char* part);
/// Counts and distances that no caller can mean (counts_test.c).
void counts(void);

#endif
