#pragma once

/// \file
/// PETSc's matrices as the MatrixView that the solver reads.

#include <cstdint>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/collected_matrix.hpp"
#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/ranks.hpp"
#include "plugin/petsc/sequential_arrays.hpp"

namespace gpusupernodal::petsc {

/// The upper triangle of an AIJ, BAIJ or SBAIJ matrix (and of types derived from them), as PETSc's other Cholesky packages
/// read it, on the rank that factorizes.
///
/// What is on one rank is viewed in place, AIJ whole and the others with blocks of 1; larger blocks are taken apart, and
/// matrices of several ranks collected, in memory kept here. Between `open` and `close` the matrix's arrays are borrowed.
/// One object serves one pattern at a time; reuse it for new values.
class MatrixInput {
 public:
  /// Borrows A's arrays, all ranks together. `same_pattern` promises the pattern that was opened before.
  PetscErrorCode open(const Ranks& ranks, Mat a, bool same_pattern, Wanted wanted);
  /// Gives them back; does nothing if nothing is open.
  PetscErrorCode close();

  /// Valid between open and close; on ranks that do not factorize, of no rows.
  const MatrixView<PetscScalar>& view() const { return view_; }
  /// Number of values in view().
  std::int64_t value_count() const { return view_.n == 0 ? 0 : view_.offsets[view_.n]; }

 private:
  void view_in_place();

  SequentialArrays arrays_;
  CollectedMatrix collected_;
  MatrixView<PetscScalar> view_;
};

}  // namespace gpusupernodal::petsc
