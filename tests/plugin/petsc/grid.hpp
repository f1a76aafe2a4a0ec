#pragma once

/// \file
/// The matrix of the in-process tests, and the errors of its solutions.

#include <petscmat.h>

namespace gpusupernodal::test {

/// The 5-point operator on a width × width grid, 4 + shift on the diagonal.
PetscErrorCode make_grid(PetscInt width, PetscReal shift, Mat* a);

/// Convection and diffusion on the same grid, by central differences: 5 on the diagonal, −1 ± wind and −1 ± wind / 2 beside
/// it. For wind ≤ 1 the rows are diagonally dominant by 1, so ‖A⁻¹‖∞ ≤ 1 and ‖A‖∞ ≤ 9.
PetscErrorCode make_convection(PetscInt width, PetscReal wind, Mat* a);

/// A reproducible vector with entries in [0, 1].
PetscErrorCode make_right_hand_side(Mat a, Vec* b);

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞).
PetscErrorCode vector_error(Mat a, Vec x, Vec b, PetscReal* error);

/// The largest vector_error over the columns of B.
PetscErrorCode matrix_error(Mat a, Mat x, Mat b, PetscReal* error);

}  // namespace gpusupernodal::test
