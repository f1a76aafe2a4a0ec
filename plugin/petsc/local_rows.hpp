#pragma once

/// \file
/// The rows of a matrix that lie on this rank, as single entries with the columns of the whole matrix.

#include <cstdint>
#include <vector>

#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {

/// Reads the upper triangle of the rows that this rank has, of sequential and parallel AIJ, BAIJ and SBAIJ matrices. Where
/// each entry's value lies is found with the pattern, so that new values are copied by a list.
class LocalRows {
 public:
  /// Costs a pass over the entries.
  PetscErrorCode read_pattern(Mat a);
  /// Of a matrix with the pattern that was read last. Costs a pass over the entries of the triangle.
  PetscErrorCode read_values(Mat a);

  const std::vector<PetscInt>& lengths() const { return lengths_; }  ///< Entries of each row.
  const std::vector<PetscInt>& columns() const { return columns_; }  ///< Row by row, not sorted within one.
  const std::vector<PetscScalar>& values() const { return values_; }

 private:
  /// A parallel matrix lies on a rank as two: the columns that have the rank's own numbers, and the others, which `names`
  /// give their block columns in the whole.
  struct Part {
    Mat matrix = nullptr;
    PetscInt first_column = 0;
    const PetscInt* names = nullptr;
  };
  PetscErrorCode find_parts(Mat a);
  PetscErrorCode read_rows_one_by_one(Mat a, bool pattern);
  PetscErrorCode append_positions(PetscInt first_row);
  PetscErrorCode copy_by_positions();
  void append_row(const SequentialArrays& arrays, const Part& part, PetscInt block_row, PetscInt row_in_block, PetscInt row,
                  std::vector<std::int64_t>* positions);

  std::vector<PetscInt> lengths_;
  std::vector<PetscInt> columns_;
  std::vector<PetscScalar> values_;

  Part own_;
  Part others_;  // no matrix where there is one part only
  bool by_rows_ = false;
  SequentialArrays own_arrays_;
  SequentialArrays other_arrays_;
  std::vector<std::int64_t> own_positions_;    // of the first own_counts_[row] entries of each row
  std::vector<std::int64_t> other_positions_;  // of the rest
  std::vector<PetscInt> own_counts_;
};

}  // namespace gpusupernodal::petsc
