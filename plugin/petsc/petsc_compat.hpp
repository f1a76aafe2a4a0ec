#pragma once

/// \file
/// Hides the differences between PETSc 3.18 and 3.26 from the other files. Include it before any use of PETSc.

#include <petsc/private/matimpl.h>

#if !defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_REAL_SINGLE)
#error "gpusupernodal computes in float or double: build the plugin with a PETSc of one of these"
#endif
#if PETSC_VERSION_LT(3, 18, 0)
#error "gpusupernodal needs PETSc 3.18 or newer"
#endif

// PETSC_SUCCESS exists since 3.19, which made PetscErrorCode an enumeration.
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

namespace gpusupernodal::petsc {

/// Whether this PETSc has complex scalars; it then has a plugin of its own.
inline constexpr bool complex_scalars = PetscDefined(USE_COMPLEX);

/// Whether -pc_factor_mat_factor_on_host (since 3.23) requests the host.
inline bool wants_host(const MatFactorInfo& info) {
#if PETSC_VERSION_GE(3, 23, 0)
  return info.factoronhost == PETSC_TRUE;
#else
  static_cast<void>(info);
  return false;
#endif
}

}  // namespace gpusupernodal::petsc
