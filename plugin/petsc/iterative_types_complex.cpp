/// \file
/// The library multiplies and iterates with real scalars only. A user who names a type learns that instead of a sentence
/// about an unknown name.

#include <petscksp.h>

#include "plugin/petsc/iterative_types.hpp"

namespace gpusupernodal::petsc {
namespace {

PetscErrorCode refuse_matrix(Mat a) {
  PetscFunctionBegin;
  PetscCheck(a == nullptr, PetscObjectComm(reinterpret_cast<PetscObject>(a)), PETSC_ERR_SUP,
             "gpusupernodal: the matrix type aijgpusupernodal is for real scalars; take -mat_type aij");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode refuse_preconditioner(PC pc) {
  PetscFunctionBegin;
  PetscCheck(pc == nullptr, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "gpusupernodal: the preconditioner gpusupernodal is for real scalars; take -pc_type cholesky or lu");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode refuse_method(KSP ksp) {
  PetscFunctionBegin;
  PetscCheck(ksp == nullptr, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_SUP,
             "gpusupernodal: the method gpusupernodalcg is for real scalars; take -ksp_type cg");
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode register_iterative_types() {
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(PCInitializePackage());
  PetscCall(KSPInitializePackage());
  PetscCall(MatRegisterRootName("aijgpusupernodal", "seqaijgpusupernodal", "mpiaijgpusupernodal"));
  PetscCall(MatRegister("seqaijgpusupernodal", refuse_matrix));
  PetscCall(MatRegister("mpiaijgpusupernodal", refuse_matrix));
  PetscCall(PCRegister("gpusupernodal", refuse_preconditioner));
  PetscCall(KSPRegister("gpusupernodalcg", refuse_method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
