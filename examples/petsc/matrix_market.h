/* Reading Matrix Market files into PETSc matrices and vectors on one process. */
#ifndef EXAMPLES_PETSC_MATRIX_MARKET_H
#define EXAMPLES_PETSC_MATRIX_MARKET_H

#include <petscmat.h>

/* Reads a square "matrix coordinate real|integer|pattern general|symmetric" file; a name that ends in .gz is unpacked by
   gzip. Both halves of a symmetric matrix are stored. The type of A comes from the options database (-mat_type). */
PetscErrorCode ReadMatrixMarket(const char *path, PetscInt block_size, Mat *A);

/* Reads the first column of a "matrix array" file, or as many numbers as b has entries from a file without header. */
PetscErrorCode ReadVector(const char *path, Vec b);

#endif
