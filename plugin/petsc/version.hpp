#pragma once

/// \file
/// Whether the PETSc that loads the plugin is the one it was built for.
///
/// The plugin reads and writes PETSc's matrix structure, whose layout changes with the minor version, the scalar and the
/// integer type: in another PETSc it would crash, so it must refuse before touching any object.

#include <cstddef>
#include <string>

#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// What the binary interface of a PETSc depends on.
struct PetscBuild {
  int major = 0;
  int minor = 0;
  bool is_complex = false;
  std::size_t scalar_bytes = 0;
  std::size_t index_bytes = 0;
};

/// The PETSc of the headers that the plugin was compiled with.
PetscBuild compiled_build();
/// The PETSc of this process. Uses only functions whose interface is the same in every version.
PetscErrorCode query_running_build(PetscBuild* running);
/// One sentence for the user why the two do not fit; empty if they do.
std::string describe_mismatch(const PetscBuild& compiled, const PetscBuild& running);

}  // namespace gpusupernodal::petsc
