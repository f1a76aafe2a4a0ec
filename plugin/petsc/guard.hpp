#pragma once

/// \file
/// Turns exceptions into PETSc errors: none may pass through PETSc's C frames.

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Raises the PETSc error that fits the exception being handled, with its sentence; call in a catch block only. It is one of
/// this rank alone: for one of a communicator PETSc would end the ranks that raise it beside the first.
PetscErrorCode raise_current_exception(const char* function, int line);

/// Runs `body`, which returns a PetscErrorCode and may throw.
template <class Body>
PetscErrorCode guarded(const char* function, int line, Body&& body) {
  try {
    return body();
  } catch (...) {
    return raise_current_exception(function, line);
  }
}

}  // namespace gpusupernodal::petsc
