#pragma once

/// \file
/// PETSc's sequential matrix formats as the MatrixView that the solver reads.

#include <cstdint>
#include <vector>

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Reads the upper triangle of a MATSEQAIJ, MATSEQBAIJ or MATSEQSBAIJ matrix (and of types derived from them), as PETSc's
/// other Cholesky packages do.
///
/// AIJ, and the others with blocks of 1, are viewed in place; larger blocks are expanded into arrays kept here. Between
/// `open` and `close` the matrix's arrays are borrowed. One object serves one pattern at a time; reuse it for new values.
class MatrixInput {
 public:
  MatrixInput() = default;
  MatrixInput(const MatrixInput&) = delete;
  MatrixInput& operator=(const MatrixInput&) = delete;
  ~MatrixInput() { static_cast<void>(close()); }

  /// Borrows A's arrays. PETSC_ERR_SUP for another format. Cost: nothing for blocks of 1; else a pass over the entries.
  PetscErrorCode open(Mat a);
  /// Gives them back; does nothing if nothing is open.
  PetscErrorCode close();

  /// Valid between open and close.
  const MatrixView<PetscScalar>& view() const { return view_; }
  /// Number of values in view().
  std::int64_t value_count() const { return view_.n == 0 ? 0 : view_.offsets[view_.n]; }

 private:
  enum class Format { none, aij, baij, sbaij };

  PetscErrorCode detect_format(Mat a);
  PetscErrorCode borrow_arrays(Mat a);
  void expand_blocks(const PetscScalar* values);

  Mat matrix_ = nullptr;
  Format format_ = Format::none;
  PetscInt rows_ = 0;  // block rows where the format has blocks
  PetscInt block_size_ = 1;
  const PetscInt* offsets_ = nullptr;
  const PetscInt* columns_ = nullptr;
  PetscScalar* values_ = nullptr;
  MatrixView<PetscScalar> view_;

  std::vector<std::int64_t> expanded_offsets_;
  std::vector<PetscInt> expanded_columns_;
  std::vector<PetscScalar> expanded_values_;
};

}  // namespace gpusupernodal::petsc
