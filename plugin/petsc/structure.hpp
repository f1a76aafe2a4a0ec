#pragma once

/// \file
/// Whether a matrix has entries where it had them, without PETSc's help.

#include <cstdint>

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Whether MatGetNonzeroState counts every change of the pattern. For AIJ it does. For BAIJ and SBAIJ it does not: it
/// stays as it is when MatSetValuesBlocked adds blocks, and for MATMPIBAIJ when MatSetValues does (seen with PETSc 3.18.5).
PetscErrorCode counts_changes(Mat a, bool* counts);

/// A hash of the block rows of this rank and of their columns. Only for BAIJ, SBAIJ and sequential AIJ. Costs a pass over
/// the columns of blocks, and over all entries for MATMPISBAIJ.
PetscErrorCode hash_structure(Mat a, std::uint64_t* hash);

}  // namespace gpusupernodal::petsc
