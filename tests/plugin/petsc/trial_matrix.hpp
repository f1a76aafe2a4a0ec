#pragma once

/// \file
/// Random matrices on several ranks: every rank draws the same numbers, so that all know the whole matrix.

#include <petscmat.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gpusupernodal::test {

/// Random numbers that are equal on all ranks and with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  /// A number in 0 … n−1.
  PetscInt below(PetscInt n) { return static_cast<PetscInt>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(PetscInt n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// How the rank that owns the row corrupts one entry.
enum class Spoilt { no, not_a_number, infinite, negative_pivot, singular };

/// A symmetric, diagonally dominant matrix; its values depend on a version, its entries only grow.
struct TrialMatrix {
  MPI_Comm comm = MPI_COMM_NULL;
  MatType type = MATAIJ;
  PetscInt block = 1;
  PetscInt n = 0;
  PetscInt local = 0;                                  ///< Number of this rank's rows.
  bool by_blocks = false;                              ///< Whether MatSetValuesBlocked sets the values.
  std::vector<std::pair<PetscInt, PetscInt>> entries;  ///< Row < column.
  Mat mat = nullptr;
};

/// Makes a matrix on `comm` of any type, block size and layout, possibly with ranks without rows, and assembles it with
/// the values of version 0.
PetscErrorCode make_trial_matrix(MPI_Comm comm, Draw* draw, TrialMatrix* a);

/// Draws more entries; the next set_version adds them to the matrix.
void add_entries(Draw* draw, PetscInt count, TrialMatrix* a);

/// Sets and assembles all values.
PetscErrorCode set_version(TrialMatrix* a, PetscInt version, Spoilt spoilt, PetscInt spoilt_row);

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), computed from the entries on every rank and therefore independent of the matrix
/// type.
PetscErrorCode trial_error(const TrialMatrix& a, PetscInt version, Vec x, Vec b, PetscReal* error);

}  // namespace gpusupernodal::test
