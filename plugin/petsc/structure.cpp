#include "plugin/petsc/structure.hpp"

#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {
namespace {

void mix(const PetscInt* numbers, PetscInt count, std::uint64_t* hash) {
  std::uint64_t h = *hash;
  for (PetscInt i = 0; i < count; ++i) {
    h = (h ^ static_cast<std::uint64_t>(numbers[i])) * 0x9fb21c651e98df25U;
    h ^= h >> 32U;
  }
  *hash = h;
}

PetscErrorCode mix_sequential(Mat a, std::uint64_t* hash) {
  SequentialArrays arrays;
  PetscFunctionBegin;
  PetscCall(arrays.open(a, Wanted::pattern));
  if (arrays.rows() > 0) {
    mix(arrays.offsets(), arrays.rows() + 1, hash);
    mix(arrays.columns(), arrays.offsets()[arrays.rows()], hash);
  }
  PetscCall(arrays.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The rank's own columns, the others, and what the others are called in the whole matrix.
PetscErrorCode mix_parallel_baij(Mat a, std::uint64_t* hash) {
  Mat own = nullptr;
  Mat others = nullptr;
  const PetscInt* names = nullptr;
  PetscInt columns = 0;
  PetscInt block = 1;
  PetscFunctionBegin;
  PetscCall(MatMPIBAIJGetSeqBAIJ(a, &own, &others, &names));
  PetscCall(mix_sequential(own, hash));
  PetscCall(mix_sequential(others, hash));
  PetscCall(MatGetSize(others, nullptr, &columns));
  PetscCall(MatGetBlockSize(others, &block));
  if (names != nullptr) mix(names, columns / block, hash);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc does not give access to the off-process columns of MPISBAIJ.
PetscErrorCode mix_row_by_row(Mat a, std::uint64_t* hash) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(a, &begin, &end));
  PetscCall(MatGetRowUpperTriangular(a));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    PetscCall(MatGetRow(a, row, &count, &columns, nullptr));
    mix(&count, 1, hash);
    mix(columns, count, hash);
    PetscCall(MatRestoreRow(a, row, &count, &columns, nullptr));
  }
  PetscCall(MatRestoreRowUpperTriangular(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode counts_changes(Mat a, bool* counts) {
  PetscBool is_sequential = PETSC_FALSE;
  PetscBool is_parallel = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQAIJ, &is_sequential));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIAIJ, &is_parallel));
  *counts = is_sequential == PETSC_TRUE || is_parallel == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode hash_structure(Mat a, std::uint64_t* hash) {
  PetscBool is_baij = PETSC_FALSE;
  PetscBool is_sbaij = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIBAIJ, &is_baij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPISBAIJ, &is_sbaij));
  *hash = 0;
  if (is_baij) {
    PetscCall(mix_parallel_baij(a, hash));
  } else if (is_sbaij) {
    PetscCall(mix_row_by_row(a, hash));
  } else {
    PetscCall(mix_sequential(a, hash));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
