#pragma once

/// \file
/// Recognizes a matrix whose pattern has been analyzed.

#include <cstdint>

#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Names a state of a matrix: its values, or its pattern.
struct MatrixState {
  PetscObjectId matrix = 0;
  PetscObjectState state = -1;
  bool operator==(const MatrixState& other) const { return matrix == other.matrix && state == other.state; }
};
/// The state of A's values, and of its pattern as PETSc counts its changes.
PetscErrorCode state_of_values(Mat a, MatrixState* state);
MatrixState state_of_pattern(Mat a);

/// The pattern of a matrix, as PETSc counts its changes, and as structure.hpp compares it where PETSc does not count.
class KnownPattern {
 public:
  /// Whether A has the pattern that was remembered last. Collective; the same answer on all ranks.
  PetscErrorCode recognizes(const Ranks& ranks, Mat a, bool* same) const;
  PetscErrorCode remember(const Ranks& ranks, Mat a);
  void forget() { state_ = MatrixState(); }

 private:
  MatrixState state_;
  std::uint64_t structure_ = 0;
};

}  // namespace gpusupernodal::petsc
