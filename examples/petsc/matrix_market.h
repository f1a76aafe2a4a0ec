/* Reads Matrix Market files into PETSc matrices and vectors on one process. */
#ifndef EXAMPLES_PETSC_MATRIX_MARKET_H
#define EXAMPLES_PETSC_MATRIX_MARKET_H

#include <petscmat.h>

/* Reads a square "matrix coordinate real|integer|pattern general|symmetric" file; a file whose name ends in .gz is
   unpacked with gzip. Stores both halves of a symmetric matrix. -mat_type sets the type of A. */
PetscErrorCode ReadMatrixMarket(const char *path, PetscInt block_size, Mat *A);

/* Reads b from the first column of a "matrix array" file, or from a file of numbers without header. */
PetscErrorCode ReadVector(const char *path, Vec b);

#endif
