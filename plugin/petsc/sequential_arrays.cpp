#include "plugin/petsc/sequential_arrays.hpp"

#include "plugin/petsc/device_memory.hpp"

namespace gpusupernodal::petsc {

PetscErrorCode SequentialArrays::detect_format(Mat a) {
  PetscBool is_aij = PETSC_FALSE;
  PetscBool is_baij = PETSC_FALSE;
  PetscBool is_sbaij = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQAIJ, &is_aij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQBAIJ, &is_baij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQSBAIJ, &is_sbaij));
  PetscCheck(is_aij || is_baij || is_sbaij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "gpusupernodal reads matrices of type aij, baij and sbaij, not %s",
             reinterpret_cast<PetscObject>(a)->type_name);
  format_ = is_aij ? Format::aij : is_baij ? Format::baij : Format::sbaij;
  block_size_ = 1;
  if (!is_aij) PetscCall(MatGetBlockSize(a, &block_size_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequentialArrays::borrow_values(Wanted wanted) {
  PetscFunctionBegin;
  value_space_ = MemorySpace::host;
  if (wanted == Wanted::pattern) PetscFunctionReturn(PETSC_SUCCESS);
  if (format_ == Format::baij) {
    PetscCall(MatSeqBAIJGetArray(matrix_, &values_));
  } else if (format_ == Format::sbaij) {
    PetscCall(MatSeqSBAIJGetArray(matrix_, &values_));
  } else {
    if (wanted == Wanted::values_in_place) PetscCall(device_values(matrix_, &values_));
    if (values_ != nullptr) {
      value_space_ = MemorySpace::device;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    const PetscScalar* values = nullptr;
    PetscCall(MatSeqAIJGetArrayRead(matrix_, &values));
    values_ = const_cast<PetscScalar*>(values);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequentialArrays::give_values_back() {
  PetscFunctionBegin;
  if (values_ == nullptr || value_space_ == MemorySpace::device) PetscFunctionReturn(PETSC_SUCCESS);
  if (format_ == Format::aij) {
    const PetscScalar* values = values_;
    PetscCall(MatSeqAIJRestoreArrayRead(matrix_, &values));
  } else if (format_ == Format::baij) {
    PetscCall(MatSeqBAIJRestoreArray(matrix_, &values_));
  } else {
    PetscCall(MatSeqSBAIJRestoreArray(matrix_, &values_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequentialArrays::open(Mat a, Wanted wanted) {
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(close());
  PetscCall(detect_format(a));
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, blocked(), &rows_, &offsets_, &columns_, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "gpusupernodal cannot see the row structure of a matrix of type %s",
             reinterpret_cast<PetscObject>(a)->type_name);
  matrix_ = a;
  PetscCall(borrow_values(wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SequentialArrays::close() {
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (matrix_ == nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  Mat a = matrix_;
  PetscCall(give_values_back());
  matrix_ = nullptr;
  values_ = nullptr;
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, blocked(), &rows_, &offsets_, &columns_, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
