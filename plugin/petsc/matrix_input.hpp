#pragma once

/// \file
/// Views PETSc's matrices as the MatrixView that the solver reads.

#include <cstdint>
#include <optional>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/collected_matrix.hpp"
#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/ranks.hpp"
#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {

/// An AIJ, BAIJ or SBAIJ matrix (or of a type derived from them) on the rank that factorizes: its upper triangle, as PETSc's
/// other Cholesky packages read it, or all of its entries.
///
/// A matrix on one rank is viewed in place if it is AIJ or has block size 1. Matrices with larger blocks, or on several
/// ranks, are copied entry by entry into memory kept here. Between `open` and `close` the matrix's arrays are borrowed. An
/// object holds one pattern at a time; reuse it for new values.
class MatrixInput {
 public:
  /// Borrows A's arrays. Collective. Preconditions: with `same_pattern`, A has the pattern that was opened last, with the
  /// same `entries`; with Entries::all, A is not SBAIJ.
  PetscErrorCode open(const Ranks& ranks, Mat a, Entries entries, bool same_pattern, Wanted wanted);
  /// Returns the borrowed arrays; does nothing if nothing is open.
  PetscErrorCode close();
  /// Closes, and frees the memory of the copies. The next open must not say `same_pattern`.
  PetscErrorCode release();

  /// The matrix, valid between open and close; without rows on ranks that do not factorize.
  const MatrixView<PetscScalar>& view() const { return view_; }
  /// Number of values in view().
  std::int64_t value_count() const { return view_.n == 0 ? 0 : view_.offsets[view_.n]; }

 private:
  void view_in_place(Entries entries);

  SequentialArrays arrays_;
  std::optional<CollectedMatrix> collected_{std::in_place};
  MatrixView<PetscScalar> view_;
};

}  // namespace gpusupernodal::petsc
