#pragma once

/// \file
/// The local rows of a matrix as scalar entries with global column indices.

#include <cstdint>
#include <vector>

#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {

/// Reads this rank's rows of sequential and parallel AIJ, BAIJ and SBAIJ matrices, or their upper triangle. Reading the
/// pattern records the position of each entry's value, so that reading new values is one gather.
class LocalRows {
 public:
  /// Reads the pattern. Precondition: with Entries::all, the matrix is not SBAIJ. Cost: one pass over the entries.
  PetscErrorCode read_pattern(Mat a, Entries entries);
  /// Reads the values. Precondition: `a` has the pattern that was read last. Cost: one pass over the entries that it has.
  PetscErrorCode read_values(Mat a);

  const std::vector<PetscInt>& lengths() const { return lengths_; }  ///< Entries of each row.
  const std::vector<PetscInt>& columns() const { return columns_; }  ///< Row by row, unsorted within a row.
  const std::vector<PetscScalar>& values() const { return values_; }

 private:
  /// One of the two sequential matrices that hold the local rows of a parallel matrix. The diagonal part has consecutive
  /// columns from `first_column`; `names` maps the block columns of the off-diagonal part to global block columns.
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

  Entries entries_ = Entries::upper_triangle;
  Part own_;
  Part others_;  // without a matrix if the matrix has one part only
  bool by_rows_ = false;
  SequentialArrays own_arrays_;
  SequentialArrays other_arrays_;
  std::vector<std::int64_t> own_positions_;    // value positions of the first own_counts_[row] entries of each row
  std::vector<std::int64_t> other_positions_;  // value positions of the remaining entries
  std::vector<PetscInt> own_counts_;
};

}  // namespace gpusupernodal::petsc
