#pragma once

/// \file
/// A matrix of several ranks on the one that factorizes it.

#include <cstdint>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/local_rows.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// The upper triangle of a parallel matrix, or of a sequential one with blocks, entry by entry, in memory of its own. Ranks
/// have consecutive rows, so the triangle is what they send one behind the other.
class CollectedMatrix {
 public:
  /// All ranks together. Afterwards the owner has the pattern.
  PetscErrorCode read_pattern(const Ranks& ranks, Mat a);
  /// All ranks together, for a matrix with the pattern that was read last. Afterwards the owner has the values.
  PetscErrorCode read_values(const Ranks& ranks, Mat a);

  /// On the owner, what was read last; elsewhere a matrix of no rows.
  MatrixView<PetscScalar> view() const;

 private:
  void take_offsets(PetscInt rows);

  LocalRows local_;
  std::vector<std::int64_t> rows_of_rank_;
  std::vector<std::int64_t> entries_of_rank_;
  std::vector<PetscInt> lengths_;
  std::vector<std::int64_t> offsets_;
  std::vector<PetscInt> columns_;    // of a rank that is alone, those of local_ serve
  std::vector<PetscScalar> values_;  // likewise
  bool alone_ = true;
};

}  // namespace gpusupernodal::petsc
