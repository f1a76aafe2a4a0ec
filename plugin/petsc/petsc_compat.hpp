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

/// What the functions that read an object's options get; since 3.23 the type itself is a pointer.
#if PETSC_VERSION_GE(3, 23, 0)
using OptionItems = PetscOptionItems;
#else
using OptionItems = PetscOptionItems*;
#endif

/// The data of a product of matrices, of what MatProduct passes to the function that frees them: since 3.25 the address of
/// the pointer to them.
inline void* product_context(void* passed) {
#if PETSC_VERSION_GE(3, 25, 0)
  return *static_cast<void**>(passed);
#else
  return passed;
#endif
}

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
