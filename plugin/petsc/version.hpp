#pragma once

/// \file
/// Checks whether the PETSc that loads the plugin is compatible with the one that it was built for.
///
/// The plugin accesses PETSc's matrix structure, whose layout depends on the minor version and the scalar and integer types.
/// With an incompatible PETSc it would crash, so it must refuse before it accesses any object.

#include <cstddef>
#include <string>

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// The properties of PETSc that determine its binary interface.
struct PetscBuild {
  int major = 0;
  int minor = 0;
  bool is_complex = false;
  std::size_t scalar_bytes = 0;
  std::size_t index_bytes = 0;
};

/// Returns the properties of the PETSc headers that the plugin was compiled with.
PetscBuild compiled_build();
/// Queries the PETSc of this process. Uses only functions whose interface is the same in every version.
PetscErrorCode query_running_build(PetscBuild* running);
/// Returns one sentence for the user that says why the two are incompatible; empty if they are compatible.
std::string describe_mismatch(const PetscBuild& compiled, const PetscBuild& running);

}  // namespace gpusupernodal::petsc
