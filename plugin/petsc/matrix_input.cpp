#include "plugin/petsc/matrix_input.hpp"

namespace gpusupernodal::petsc {

PetscErrorCode MatrixInput::detect_format(Mat a) {
  PetscBool is_aij = PETSC_FALSE;
  PetscBool is_baij = PETSC_FALSE;
  PetscBool is_sbaij = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQAIJ, &is_aij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQBAIJ, &is_baij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQSBAIJ, &is_sbaij));
  PetscCheck(is_aij || is_baij || is_sbaij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "gpusupernodal reads matrices of type seqaij, seqbaij and seqsbaij, not %s",
             reinterpret_cast<PetscObject>(a)->type_name);
  format_ = is_aij ? Format::aij : is_baij ? Format::baij : Format::sbaij;
  block_size_ = 1;
  if (!is_aij) PetscCall(MatGetBlockSize(a, &block_size_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixInput::borrow_arrays(Mat a) {
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(a, 0, PETSC_FALSE, format_ == Format::aij ? PETSC_FALSE : PETSC_TRUE, &rows_, &offsets_, &columns_,
                        &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "gpusupernodal cannot see the row structure of a matrix of type %s",
             reinterpret_cast<PetscObject>(a)->type_name);
  matrix_ = a;
  if (format_ == Format::aij) {
    // Also brings values that were changed on a device back to the host.
    const PetscScalar* values = nullptr;
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    values_ = const_cast<PetscScalar*>(values);
  } else if (format_ == Format::baij) {
    PetscCall(MatSeqBAIJGetArray(a, &values_));
  } else {
    PetscCall(MatSeqSBAIJGetArray(a, &values_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixInput::open(Mat a) {
  PetscFunctionBegin;
  PetscCall(close());
  PetscCall(detect_format(a));
  PetscCall(borrow_arrays(a));
  view_ = MatrixView<PetscScalar>();
  if (block_size_ > 1) {
    expand_blocks(values_);
    view_.n = static_cast<std::int64_t>(rows_) * block_size_;
    view_.offsets = IndexArray(expanded_offsets_.data());
    view_.indices = IndexArray(expanded_columns_.data());
    view_.values = expanded_values_.data();
  } else {
    view_.n = rows_;
    view_.offsets = IndexArray(offsets_);
    view_.indices = IndexArray(columns_);
    view_.values = values_;
  }
  if (view_.n == 0) {
    expanded_offsets_.assign(1, 0);
    view_.offsets = IndexArray(expanded_offsets_.data());
  }
  if (block_size_ > 1 || format_ == Format::sbaij) {
    view_.part = StoredPart::upper;
    view_.compression = Compression::rows;
  } else {
    // Rows of A are columns of Aᵀ, and the lower half of Aᵀ, which the solver reads, is the upper half of A.
    view_.part = StoredPart::full;
    view_.compression = Compression::columns;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixInput::close() {
  PetscFunctionBegin;
  if (matrix_ == nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  Mat a = matrix_;
  matrix_ = nullptr;
  view_ = MatrixView<PetscScalar>();
  if (values_ != nullptr) {
    if (format_ == Format::aij) {
      const PetscScalar* values = values_;
      PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
    } else if (format_ == Format::baij) {
      PetscCall(MatSeqBAIJRestoreArray(a, &values_));
    } else {
      PetscCall(MatSeqSBAIJRestoreArray(a, &values_));
    }
    values_ = nullptr;
  }
  PetscBool done = PETSC_FALSE;
  PetscCall(MatRestoreRowIJ(a, 0, PETSC_FALSE, format_ == Format::aij ? PETSC_FALSE : PETSC_TRUE, &rows_, &offsets_,
                            &columns_, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Blocks are bs × bs, column by column. Of a diagonal block only the upper triangle is taken, of BAIJ only blocks above.
void MatrixInput::expand_blocks(const PetscScalar* values) {
  const PetscInt bs = block_size_;
  const auto block_entries = static_cast<std::int64_t>(bs) * bs;
  expanded_offsets_.assign(1, 0);
  expanded_offsets_.reserve(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(bs) + 1);
  expanded_columns_.clear();
  expanded_values_.clear();
  for (PetscInt block_row = 0; block_row < rows_; ++block_row) {
    for (PetscInt row = 0; row < bs; ++row) {
      for (PetscInt k = offsets_[block_row]; k < offsets_[block_row + 1]; ++k) {
        const PetscInt block_column = columns_[k];
        if (block_column < block_row) continue;
        const PetscScalar* block = values + k * block_entries;
        for (PetscInt column = block_column == block_row ? row : 0; column < bs; ++column) {
          expanded_columns_.push_back(block_column * bs + column);
          expanded_values_.push_back(block[static_cast<std::int64_t>(column) * bs + row]);
        }
      }
      expanded_offsets_.push_back(static_cast<std::int64_t>(expanded_columns_.size()));
    }
  }
}

}  // namespace gpusupernodal::petsc
