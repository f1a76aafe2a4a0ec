#pragma once

/// \file
/// A matrix on several ranks, for real and for complex scalars.

#include <petscmat.h>

namespace gpusupernodal::test {

/// A cubic grid of m points on a side.
struct TogetherGrid {
  PetscInt m = 7;
  PetscBool empty = PETSC_FALSE;  ///< Whether even ranks have no rows.
  MatType type = nullptr;         ///< Null: as PETSc's options say.
};

inline constexpr PetscReal together_diagonal = 7;

/// The 7-point operator with 7 on the diagonal, so that ‖A⁻¹‖∞ ≤ 1 and ‖A‖∞ ≤ 13; for complex scalars D* A D with
/// directions D, declared Hermitian. With `more`, the last rank with rows has one more entry and its adjoint, if there are
/// at least two rows.
PetscErrorCode make_together_matrix(const TogetherGrid& grid, bool more, Mat* a);
/// Adds the entries of `more` to a matrix that does not have them. Collective.
PetscErrorCode add_entries(Mat a);
/// Sets a diagonal entry. Collective.
PetscErrorCode set_diagonal(Mat a, PetscInt row, PetscScalar value);
/// A right-hand side, and a vector for the solution.
PetscErrorCode make_together_vectors(Mat a, Vec* b, Vec* x);
/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), or with Aᵀ.
PetscErrorCode together_error(Mat a, Vec x, Vec b, bool transposed, PetscReal* error);

}  // namespace gpusupernodal::test
