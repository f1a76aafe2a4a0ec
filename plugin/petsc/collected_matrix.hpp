#pragma once

/// \file
/// Collects a parallel matrix on the rank that factorizes it.

#include <cstdint>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/local_rows.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Copy of the upper triangle of a parallel matrix, or of a sequential matrix with blocks, entry by entry. Ranks have
/// consecutive rows, so the owner concatenates what the ranks send.
class CollectedMatrix {
 public:
  /// Collects the pattern of `a` on the owner. Collective.
  PetscErrorCode read_pattern(const Ranks& ranks, Mat a);
  /// Collects the values of `a` on the owner. Collective. Precondition: `a` has the pattern that was read last.
  PetscErrorCode read_values(const Ranks& ranks, Mat a);

  /// The matrix that was read last, on the owner; a matrix without rows on other ranks.
  MatrixView<PetscScalar> view() const;

 private:
  void take_offsets(PetscInt rows);

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
