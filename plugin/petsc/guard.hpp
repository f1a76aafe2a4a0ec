#pragma once

/// \file
/// Turns exceptions into PETSc errors: none may pass through PETSc's C frames.

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Raises the PETSc error that fits the exception being handled, with its sentence; call in a catch block only.
PetscErrorCode raise_current_exception(MPI_Comm comm, const char* function, int line);

/// Runs `body`, which returns a PetscErrorCode and may throw.
template <class Body>
PetscErrorCode guarded(PetscObject object, const char* function, int line, Body&& body) {
  try {
    return body();
  } catch (...) {
    MPI_Comm comm = PETSC_COMM_SELF;
    if (object != nullptr && PetscObjectGetComm(object, &comm) != PETSC_SUCCESS) comm = PETSC_COMM_SELF;
    return raise_current_exception(comm, function, line);
  }
}

}  // namespace gpusupernodal::petsc
