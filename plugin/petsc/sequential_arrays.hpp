#pragma once

/// \file
/// The arrays of a sequential matrix.

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

enum class Format { aij, baij, sbaij };

/// What to read: the pattern only, values in host memory, or values where the matrix keeps them.
enum class Wanted { pattern, host_values, values_in_place };

/// Which entries to read: those that Cholesky needs, or those that LU needs.
enum class Entries { upper_triangle, all };

/// Borrows offsets, columns and values of a MATSEQAIJ, MATSEQBAIJ or MATSEQSBAIJ matrix, or of a derived type, in their
/// format: rows for AIJ, block rows for the other two, whose blocks are stored column by column.
class SequentialArrays {
 public:
  SequentialArrays() = default;
  SequentialArrays(const SequentialArrays&) = delete;
  SequentialArrays& operator=(const SequentialArrays&) = delete;
  ~SequentialArrays() { static_cast<void>(close()); }

  /// Borrows the arrays of `a`. Returns PETSC_ERR_SUP for other formats. Copies nothing, except values that are wanted on
  /// the host and were changed on a device, or the reverse.
  PetscErrorCode open(Mat a, Wanted wanted);
  /// Returns the arrays; does nothing if nothing is open.
  PetscErrorCode close();

  // Valid between open and close.
  Format format() const { return format_; }
  PetscInt rows() const { return rows_; }  ///< Number of rows (AIJ) or block rows.
  PetscInt block_size() const { return block_size_; }
  const PetscInt* offsets() const { return offsets_; }
  const PetscInt* columns() const { return columns_; }
  const PetscScalar* values() const { return values_; }
  MemorySpace value_space() const { return value_space_; }

 private:
  PetscErrorCode detect_format(Mat a);
  PetscErrorCode borrow_values(Wanted wanted);
  PetscErrorCode give_values_back();
  PetscBool blocked() const { return format_ == Format::aij ? PETSC_FALSE : PETSC_TRUE; }

  Mat matrix_ = nullptr;
  Format format_ = Format::aij;
  PetscInt rows_ = 0;
  PetscInt block_size_ = 1;
  const PetscInt* offsets_ = nullptr;
  const PetscInt* columns_ = nullptr;
  PetscScalar* values_ = nullptr;
  MemorySpace value_space_ = MemorySpace::host;
};

}  // namespace gpusupernodal::petsc
