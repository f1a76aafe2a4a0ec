#include "plugin/petsc/version.hpp"

#include <cstdint>

namespace gpusupernodal::petsc {
namespace {

std::string scalars_of(const PetscBuild& build) { return build.is_complex ? "complex" : "real"; }

std::string to_string(const PetscBuild& build) {
  return "PETSc " + std::to_string(build.major) + "." + std::to_string(build.minor) + " with " + scalars_of(build) +
         " scalars of " + std::to_string(build.scalar_bytes) + " bytes and indices of " + std::to_string(build.index_bytes) +
         " bytes";
}

}  // namespace

PetscBuild compiled_build() {
  PetscBuild build;
  build.major = PETSC_VERSION_MAJOR;
  build.minor = PETSC_VERSION_MINOR;
  build.is_complex = PetscDefined(USE_COMPLEX);
  build.scalar_bytes = sizeof(PetscScalar);
  build.index_bytes = sizeof(PetscInt);
  return build;
}

PetscErrorCode query_running_build(PetscBuild* running) {
  // Eight zeroed bytes per number: a PETSc with 64-bit indices writes all of them, one with 32-bit indices the first four.
  std::int64_t numbers[4] = {0, 0, 0, 0};
  auto* as_petsc = reinterpret_cast<PetscInt(*)[sizeof(std::int64_t) / sizeof(PetscInt)]>(numbers);
  PetscErrorCode error = PetscGetVersionNumber(as_petsc[0], as_petsc[1], as_petsc[2], as_petsc[3]);
  if (error != PETSC_SUCCESS) return error;
  running->major = static_cast<int>(numbers[0]);
  running->minor = static_cast<int>(numbers[1]);

  // The loaded library resolves the name "scalar"; the macro PETSC_SCALAR would come from the headers at compile time.
  PetscDataType scalar = PETSC_DATATYPE_UNKNOWN;
  PetscBool found = PETSC_FALSE;
  error = PetscDataTypeFromString("scalar", &scalar, &found);
  if (error != PETSC_SUCCESS) return error;
  running->is_complex = scalar == PETSC_COMPLEX;
  error = PetscDataTypeGetSize(scalar, &running->scalar_bytes);
  if (error != PETSC_SUCCESS) return error;
  return PetscDataTypeGetSize(PETSC_INT, &running->index_bytes);
}

std::string describe_mismatch(const PetscBuild& compiled, const PetscBuild& running) {
  if (compiled.is_complex != running.is_complex) {
    const std::string suffix = running.is_complex ? "_complex" : "";
    return "this gpusupernodal plugin is for " + scalars_of(compiled) + " scalars, but the program uses a PETSc with " +
           scalars_of(running) + " scalars: load libgpusupernodal_petsc" + suffix + ".so instead";
  }
  if (compiled.major == running.major && compiled.minor == running.minor && compiled.is_complex == running.is_complex &&
      compiled.scalar_bytes == running.scalar_bytes && compiled.index_bytes == running.index_bytes) {
    return "";
  }
  return "this gpusupernodal plugin was built for " + to_string(compiled) + ", but the program uses " + to_string(running) +
         ": build the plugin with the program's PETSc (PKG_CONFIG_PATH)";
}

}  // namespace gpusupernodal::petsc
