#include "plugin/petsc/local_rows.hpp"

namespace gpusupernodal::petsc {

PetscErrorCode LocalRows::find_parts(Mat a) {
  PetscBool is_aij = PETSC_FALSE;
  PetscBool is_baij = PETSC_FALSE;
  PetscBool is_sbaij = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIAIJ, &is_aij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPIBAIJ, &is_baij));
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATMPISBAIJ, &is_sbaij));
  own_ = Part();
  others_ = Part();
  own_.first_column = a->cmap->rstart;
  by_rows_ = is_sbaij == PETSC_TRUE;
  if (is_aij) {
    PetscCall(MatMPIAIJGetSeqAIJ(a, &own_.matrix, &others_.matrix, &others_.names));
  } else if (is_baij) {
    PetscCall(MatMPIBAIJGetSeqBAIJ(a, &own_.matrix, &others_.matrix, &others_.names));
  } else {
    own_.matrix = a;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// For MPISBAIJ matrices: PETSc has no function that returns their off-diagonal part.
PetscErrorCode LocalRows::read_rows_one_by_one(Mat a, bool pattern) {
  PetscFunctionBegin;
  PetscCall(MatGetRowUpperTriangular(a));
  for (PetscInt row = a->rmap->rstart; row < a->rmap->rend; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    PetscInt length = 0;
    PetscCall(MatGetRow(a, row, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      if (columns[k] < row) continue;  // in a block on the diagonal
      ++length;
      if (pattern) {
        columns_.push_back(columns[k]);
      } else {
        values_.push_back(values[k]);
      }
    }
    if (pattern) lengths_.push_back(length);
    PetscCall(MatRestoreRow(a, row, &count, &columns, &values));
  }
  PetscCall(MatRestoreRowUpperTriangular(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void LocalRows::append_row(const SequentialArrays& arrays, const Part& part, PetscInt block_row, PetscInt row_in_block,
                           PetscInt row, std::vector<std::int64_t>* positions) {
  const PetscInt bs = arrays.block_size();
  for (PetscInt k = arrays.offsets()[block_row]; k < arrays.offsets()[block_row + 1]; ++k) {
    const PetscInt block_column = arrays.columns()[k];
    const PetscInt first = part.names != nullptr ? part.names[block_column] * bs : part.first_column + block_column * bs;
    for (PetscInt column = 0; column < bs; ++column) {
      if (entries_ == Entries::upper_triangle && first + column < row) continue;
      columns_.push_back(first + column);
      positions->push_back((static_cast<std::int64_t>(k) * bs + column) * bs + row_in_block);
    }
  }
}

PetscErrorCode LocalRows::append_positions(PetscInt first_row) {
  const PetscInt bs = own_arrays_.block_size();
  PetscFunctionBegin;
  for (PetscInt block_row = 0; block_row < own_arrays_.rows(); ++block_row) {
    for (PetscInt k = 0; k < bs; ++k) {
      const PetscInt row = first_row + block_row * bs + k;
      const std::size_t begin = columns_.size();
      append_row(own_arrays_, own_, block_row, k, row, &own_positions_);
      own_counts_.push_back(static_cast<PetscInt>(columns_.size() - begin));
      if (others_.matrix != nullptr) append_row(other_arrays_, others_, block_row, k, row, &other_positions_);
      lengths_.push_back(static_cast<PetscInt>(columns_.size() - begin));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalRows::copy_by_positions() {
  const PetscScalar* own = own_arrays_.values();
  const PetscScalar* others = other_arrays_.values();
  const std::int64_t* own_position = own_positions_.data();
  const std::int64_t* other_position = other_positions_.data();
  PetscScalar* value = values_.data();
  PetscFunctionBegin;
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    for (PetscInt k = 0; k < own_counts_[row]; ++k) *value++ = own[*own_position++];
    for (PetscInt k = own_counts_[row]; k < lengths_[row]; ++k) *value++ = others[*other_position++];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalRows::read_pattern(Mat a, Entries entries) {
  PetscFunctionBegin;
  entries_ = entries;
  lengths_.clear();
  columns_.clear();
  own_positions_.clear();
  other_positions_.clear();
  own_counts_.clear();
  PetscCall(find_parts(a));
  if (by_rows_) {
    PetscCall(read_rows_one_by_one(a, true));
  } else {
    PetscCall(own_arrays_.open(own_.matrix, Wanted::pattern));
    if (others_.matrix != nullptr) PetscCall(other_arrays_.open(others_.matrix, Wanted::pattern));
    PetscCall(append_positions(a->rmap->rstart));
    PetscCall(own_arrays_.close());
    PetscCall(other_arrays_.close());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalRows::read_values(Mat a) {
  PetscFunctionBegin;
  PetscCall(find_parts(a));
  if (by_rows_) {
    values_.clear();
    values_.reserve(columns_.size());
    PetscCall(read_rows_one_by_one(a, false));
  } else {
    values_.resize(columns_.size());
    PetscCall(own_arrays_.open(own_.matrix, Wanted::host_values));
    if (others_.matrix != nullptr) PetscCall(other_arrays_.open(others_.matrix, Wanted::host_values));
    PetscCall(copy_by_positions());
    PetscCall(own_arrays_.close());
    PetscCall(other_arrays_.close());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
