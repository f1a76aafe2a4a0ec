/* Reads Matrix Market files into PETSc matrices and vectors on one process. */
#ifndef EXAMPLES_PETSC_MATRIX_MARKET_H
#define EXAMPLES_PETSC_MATRIX_MARKET_H

#include <petscmat.h>

/* Reads a square "matrix coordinate real|integer|pattern general|symmetric" file; gzip unpacks a file whose name ends in .gz.
   Stores both halves of a symmetric matrix. The type of A comes from the options database (-mat_type). */
PetscErrorCode ReadMatrixMarket(const char *path, PetscInt block_size, Mat *A);

/* Reads b from the first column of a "matrix array" file, or from a file of numbers without header. */
PetscErrorCode ReadVector(const char *path, Vec b);

#endif
