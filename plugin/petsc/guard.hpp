#pragma once

/// \file
/// Turns exceptions into PETSc errors: no exception may propagate through PETSc's C frames.

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Raises the PETSc error that corresponds to the exception being handled, with its message. Precondition: called in a catch
/// block. The error is raised on PETSC_COMM_SELF: for a larger communicator PETSc's handler aborts all ranks but the first.
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
