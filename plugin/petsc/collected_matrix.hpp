#pragma once

/// \file
/// Collects a parallel matrix on the rank that factorizes it.

#include <cstdint>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/local_rows.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Copy of a parallel matrix, or of a sequential matrix with blocks, or of its upper triangle, entry by entry. Ranks have
/// consecutive rows, so the owner concatenates what the ranks send.
class CollectedMatrix {
 public:
  /// Collects the pattern of `a` on the owner. Collective. Precondition: that of LocalRows::read_pattern.
  PetscErrorCode read_pattern(const Ranks& ranks, Mat a, Entries which);
  /// Collects the values of `a` on the owner. Collective. Precondition: `a` has the pattern that was read last.
  PetscErrorCode read_values(const Ranks& ranks, Mat a);

  /// The matrix that was read last, on the owner; a matrix without rows on other ranks.
  MatrixView<PetscScalar> view() const;

 private:
  void take_offsets(PetscInt rows);

  Entries entries_ = Entries::upper_triangle;
  LocalRows local_;
  std::vector<std::int64_t> rows_of_rank_;
  std::vector<std::int64_t> entries_of_rank_;
  std::vector<PetscInt> lengths_;
  std::vector<std::int64_t> offsets_;
  std::vector<PetscInt> columns_;    // unused on a single rank, which reads those of local_
  std::vector<PetscScalar> values_;  // unused on a single rank, which reads those of local_
  bool alone_ = true;
};

}  // namespace gpusupernodal::petsc
