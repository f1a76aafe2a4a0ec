#include "tests/plugin/petsc/together_matrix.hpp"

#include <cmath>

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

/// A number of magnitude 1.
PetscScalar direction(PetscInt i) {
#if defined(PETSC_USE_COMPLEX)
  return std::polar(PetscReal(1), PetscReal(0.7) * static_cast<PetscReal>(i * i % 17));
#else
  static_cast<void>(i);
  return 1;
#endif
}

PetscErrorCode local_rows(const TogetherGrid& grid, PetscInt* rows) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscInt n = grid.m * grid.m * grid.m;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *rows = PETSC_DECIDE;
  if (grid.empty == PETSC_TRUE && size > 1) {
    const PetscInt busy = size / 2;
    *rows = rank % 2 == 0 ? 0 : n / busy + (rank / 2 < n % busy ? 1 : 0);
  } else {
    PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, rows, &n));
  }
  return success;
}

PetscErrorCode couple(Mat a, PetscInt i, PetscInt j) {
  const PetscScalar value = -PetscConj(direction(i)) * direction(j);
  // PETSc does not count blocks that this adds to BAIJ and SBAIJ matrices.
  return MatSetValuesBlocked(a, 1, &i, 1, &j, &value, INSERT_VALUES);
}

/// Couples the first and the last row of the last rank, if that has at least two.
PetscErrorCode couple_ends(Mat a) {
  PetscInt n = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetSize(a, &n, nullptr));
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  if (end == n && end > begin + 1) {
    PetscCall(couple(a, begin, end - 1));
    PetscCall(couple(a, end - 1, begin));
  }
  return success;
}

PetscErrorCode assemble(Mat a) {
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  if (PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(a, MAT_HERMITIAN, PETSC_TRUE));  // PETSc forgets it.
  return success;
}

}  // namespace

PetscErrorCode make_together_matrix(const TogetherGrid& grid, bool more, Mat* a) {
  const PetscInt m = grid.m;
  PetscInt rows = 0;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscBool symmetric = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(local_rows(grid, &rows));
  PetscCall(MatCreate(PETSC_COMM_WORLD, a));
  PetscCall(MatSetSizes(*a, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetFromOptions(*a));
  if (grid.type != nullptr) PetscCall(MatSetType(*a, grid.type));
  PetscCall(MatSeqAIJSetPreallocation(*a, 8, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*a, 8, nullptr, 8, nullptr));
  PetscCall(MatSetUp(*a));
  PetscCall(MatSetOption(*a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(*a), &symmetric, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (symmetric == PETSC_TRUE) PetscCall(MatSetOption(*a, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    PetscCall(MatSetValue(*a, i, i, together_diagonal, INSERT_VALUES));
    const PetscInt at[] = {i % m, i / m % m, i / m / m};
    const PetscInt steps[] = {1, m, m * m};
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] > 0) PetscCall(couple(*a, i, i - steps[axis]));
      if (at[axis] < m - 1) PetscCall(couple(*a, i, i + steps[axis]));
    }
  }
  if (more) PetscCall(couple_ends(*a));
  PetscCall(assemble(*a));
  return success;
}

PetscErrorCode add_entries(Mat a) {
  PetscFunctionBeginUser;
  PetscCall(couple_ends(a));
  PetscCall(assemble(a));
  return success;
}

PetscErrorCode set_diagonal(Mat a, PetscInt row, PetscScalar value) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  if (row >= begin && row < end) PetscCall(MatSetValue(a, row, row, value, INSERT_VALUES));
  PetscCall(assemble(a));
  return success;
}

PetscErrorCode make_together_vectors(Mat a, Vec* b, Vec* x) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(a, x, b));
  PetscCall(VecGetOwnershipRange(*b, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) {
    PetscCall(
        VecSetValue(*b, i, direction(3 * i + 1) * static_cast<PetscReal>(i * 37 % 101 + 1) / PetscReal(100), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  return success;
}

PetscErrorCode together_error(Mat a, Vec x, Vec b, bool transposed, PetscReal* error) {
  Vec r = nullptr;
  PetscReal norms[4] = {};
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(transposed ? MatMultTranspose(a, x, r) : MatMult(a, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_INFINITY, &norms[0]));
  PetscCall(VecNorm(x, NORM_INFINITY, &norms[1]));
  PetscCall(VecNorm(b, NORM_INFINITY, &norms[2]));
  PetscCall(MatNorm(a, NORM_INFINITY, &norms[3]));
  PetscCall(VecDestroy(&r));
  *error = norms[0] / (norms[3] * norms[1] + norms[2]);
  return success;
}

}  // namespace gpusupernodal::test
