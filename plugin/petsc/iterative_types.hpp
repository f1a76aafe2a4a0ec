#pragma once

/// \file
/// The types of matrices, preconditioners and Krylov methods beside the factorization.

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Registers -mat_type aijgpusupernodal, -pc_type gpusupernodal and -ksp_type gpusupernodalcg. With complex scalars these
/// types refuse to be created, with a sentence that says what to take.
PetscErrorCode register_iterative_types();

}  // namespace gpusupernodal::petsc
