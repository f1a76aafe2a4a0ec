#include "tests/plugin/petsc/grid.hpp"

#include <algorithm>
#include <array>

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

/// The values of a point's row: below, left, own, right, above.
using Stencil = std::array<PetscScalar, 5>;

PetscErrorCode make_five_points(PetscInt width, const Stencil& values, Mat* a) {
  PetscFunctionBeginUser;
  const PetscInt n = width * width;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 5, nullptr, a));
  for (PetscInt row = 0; row < n; ++row) {
    const PetscInt neighbours[] = {row - width, row % width > 0 ? row - 1 : -1, row, row % width < width - 1 ? row + 1 : -1,
                                   row + width < n ? row + width : -1};
    PetscCall(MatSetValues(*a, 1, &row, 5, neighbours, values.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  return success;
}

}  // namespace

PetscErrorCode make_grid(PetscInt width, PetscReal shift, Mat* a) {
  return make_five_points(width, {-1, -1, 4 + shift, -1, -1}, a);
}

PetscErrorCode make_convection(PetscInt width, PetscReal wind, Mat* a) {
  return make_five_points(width, {-1 - wind / 2, -1 - wind, 5, -1 + wind, -1 + wind / 2}, a);
}

PetscErrorCode make_right_hand_side(Mat a, Vec* b) {
  PetscInt n = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, nullptr, b));
  PetscCall(VecGetSize(*b, &n));
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecSetValue(*b, k, static_cast<PetscReal>(k * 37 % 101) / 100, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  return success;
}

PetscErrorCode vector_error(Mat a, Vec x, Vec b, PetscReal* error) {
  Vec residual = nullptr;
  PetscReal r_norm = 0;
  PetscReal a_norm = 0;
  PetscReal x_norm = 0;
  PetscReal b_norm = 0;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &residual));
  PetscCall(MatMult(a, x, residual));
  PetscCall(VecAYPX(residual, -1, b));
  PetscCall(VecNorm(residual, NORM_INFINITY, &r_norm));
  PetscCall(MatNorm(a, NORM_INFINITY, &a_norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &x_norm));
  PetscCall(VecNorm(b, NORM_INFINITY, &b_norm));
  PetscCall(VecDestroy(&residual));
  *error = r_norm / (a_norm * x_norm + b_norm);
  return success;
}

PetscErrorCode matrix_error(Mat a, Mat x, Mat b, PetscReal* error) {
  Vec x_column = nullptr;
  Vec b_column = nullptr;
  PetscInt columns = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, &x_column, &b_column));
  PetscCall(MatGetSize(b, nullptr, &columns));
  *error = 0;
  for (PetscInt column = 0; column < columns; ++column) {
    PetscReal of_column = 0;
    PetscCall(MatGetColumnVector(x, x_column, column));
    PetscCall(MatGetColumnVector(b, b_column, column));
    PetscCall(vector_error(a, x_column, b_column, &of_column));
    *error = std::max(*error, of_column);
  }
  PetscCall(VecDestroy(&x_column));
  PetscCall(VecDestroy(&b_column));
  return success;
}

}  // namespace gpusupernodal::test
