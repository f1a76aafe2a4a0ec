#pragma once

/// \file
/// The arrays of a matrix that lies on one rank.

#include "gpusupernodal/views.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

enum class Format { aij, baij, sbaij };

/// Whether values are wanted, and where: in host memory, or where the matrix keeps them.
enum class Wanted { pattern, host_values, values_in_place };

/// Borrows offsets, columns and values of a MATSEQAIJ, MATSEQBAIJ or MATSEQSBAIJ matrix, and of types derived from them, as
/// they lie: rows of AIJ, block rows of the other two, whose blocks are stored column by column.
class SequentialArrays {
 public:
  SequentialArrays() = default;
  SequentialArrays(const SequentialArrays&) = delete;
  SequentialArrays& operator=(const SequentialArrays&) = delete;
  ~SequentialArrays() { static_cast<void>(close()); }

  /// PETSC_ERR_SUP for another format. Costs nothing but what brings values to the host that were changed on a device.
  PetscErrorCode open(Mat a, Wanted wanted);
  /// Gives the arrays back; does nothing if nothing is open.
  PetscErrorCode close();

  // Valid between open and close.
  Format format() const { return format_; }
  PetscInt rows() const { return rows_; }  ///< Block rows where the format has blocks.
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
