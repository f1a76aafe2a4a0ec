/// \file
/// Entry points of the plugin, the only symbols that it exports.

#include <string>

#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/iterative_types.hpp"
#include "plugin/petsc/logging.hpp"
#include "plugin/petsc/petsc_compat.hpp"
#include "plugin/petsc/version.hpp"

namespace gpusupernodal::petsc {
namespace {

// PETSc's error macros access a call stack whose layout differs between versions, so this function does not use them before
// it has checked the version.
PetscErrorCode check_running_petsc() {
  PetscBuild running;
  const PetscErrorCode error = query_running_build(&running);
  if (error != PETSC_SUCCESS) return error;
  const std::string sentence = describe_mismatch(compiled_build(), running);
  if (sentence.empty()) return PETSC_SUCCESS;
  return PetscError(PETSC_COMM_SELF, __LINE__, "MatSolverTypeRegister_GpuSupernodal", __FILE__, PETSC_ERR_SUP,
                    PETSC_ERROR_INITIAL, "%s", sentence.c_str());
}

PetscErrorCode register_solver() {
  PetscFunctionBegin;
  // MatSolverTypeRegister reads the list of solvers before it initializes the package, and would lose the solvers that the
  // initialization registers.
  PetscCall(MatInitializePackage());
  PetscCall(register_log_events());
  // PETSc uses the first registered type that is a prefix of the matrix's type: seqaij also matches seqaijkokkos, seqaijmkl,
  // … The most specific types come first, so that each keeps its own entry in PETSc's lists.
  for (const char* type :
       {MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MATSEQAIJ, MATMPIAIJ, MATSEQSBAIJ, MATMPISBAIJ, MATSEQBAIJ, MATMPIBAIJ}) {
    PetscCall(MatSolverTypeRegister(solver_name, type, MAT_FACTOR_CHOLESKY, get_factor));
  }
  // LU reads all entries, which the types of symmetric matrices do not have.
  for (const char* type : {MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MATSEQAIJ, MATMPIAIJ}) {
    PetscCall(MatSolverTypeRegister(solver_name, type, MAT_FACTOR_LU, get_factor));
  }
  PetscCall(register_iterative_types());
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace
}  // namespace gpusupernodal::petsc

// PETSC derives the name from that of the library.
#if defined(PETSC_USE_COMPLEX)
#define GPUSUPERNODAL_PETSC_REGISTER PetscDLLibraryRegister_gpusupernodal_petsc_complex
#else
#define GPUSUPERNODAL_PETSC_REGISTER PetscDLLibraryRegister_gpusupernodal_petsc
#endif
#define GPUSUPERNODAL_PETSC_ENTRY extern "C" __attribute__((visibility("default")))

/// Registers the solver and all types. Programs that link the plugin (PETSc without dynamic loading) call it once after
/// PetscInitialize.
GPUSUPERNODAL_PETSC_ENTRY PetscErrorCode MatSolverTypeRegister_GpuSupernodal(void);
/// Called by PETSc when it loads the plugin (-dll_append).
GPUSUPERNODAL_PETSC_ENTRY PetscErrorCode GPUSUPERNODAL_PETSC_REGISTER(void);

PetscErrorCode MatSolverTypeRegister_GpuSupernodal(void) {
  const PetscErrorCode error = gpusupernodal::petsc::check_running_petsc();
  if (error != PETSC_SUCCESS) return error;
  return gpusupernodal::petsc::register_solver();
}

PetscErrorCode GPUSUPERNODAL_PETSC_REGISTER(void) { return MatSolverTypeRegister_GpuSupernodal(); }
