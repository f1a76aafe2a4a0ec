#pragma once

/// \file
/// Random matrices over several ranks for trials: every rank draws the same numbers, so that all know the whole matrix.

#include <petscmat.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gpusupernodal::test {

/// The same numbers on all ranks and with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  /// 0 … n−1.
  PetscInt below(PetscInt n) { return static_cast<PetscInt>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(PetscInt n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// How one entry is spoilt, by the rank that has its row.
enum class Spoilt { no, not_a_number, infinite, negative_pivot, singular };

/// A symmetric matrix with a dominant diagonal; its values belong to a version, its entries only grow.
struct TrialMatrix {
  MPI_Comm comm = MPI_COMM_NULL;
  MatType type = MATAIJ;
  PetscInt block = 1;
  PetscInt n = 0;
  PetscInt local = 0;                                  ///< Rows of this rank.
  bool by_blocks = false;                              ///< Values are set by MatSetValuesBlocked.
  std::vector<std::pair<PetscInt, PetscInt>> entries;  ///< Row < column.
  Mat mat = nullptr;
};

/// A matrix on `comm` of any type, block size and layout, with ranks that have no rows; assembled with the values of
/// version 0.
PetscErrorCode make_trial_matrix(MPI_Comm comm, Draw* draw, TrialMatrix* a);

/// Draws more entries; they are in the matrix after the next set_version.
void add_entries(Draw* draw, PetscInt count, TrialMatrix* a);

/// Sets and assembles all values.
PetscErrorCode set_version(TrialMatrix* a, PetscInt version, Spoilt spoilt, PetscInt spoilt_row);

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), computed from the entries on every rank and so the same for all types.
PetscErrorCode trial_error(const TrialMatrix& a, PetscInt version, Vec x, Vec b, PetscReal* error);

}  // namespace gpusupernodal::test
