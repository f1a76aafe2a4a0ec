#include "plugin/petsc/conjugate_gradients.hpp"

#include <memory>

#include "plugin/petsc/guard.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr const char* container_name = "gpusupernodalcg_data";
constexpr const char* single_reduction_name = "KSPCGUseSingleReduction_C";

/// PETSc chooses these types where neither the program nor the options name one. It does not record who chose a type.
bool is_default_type(const std::string& type) { return type == PCICC || type == PCILU || type == PCBJACOBI; }

/// -pc_type gpusupernodal stands in for PETSc's default preconditioner, which would run outside of the library.
PetscErrorCode replace_default(KSP ksp, CgData* data) {
  PetscBool named = PETSC_FALSE;
  PetscFunctionBegin;
  PetscObject object = reinterpret_cast<PetscObject>(ksp->pc);
  PetscCall(PetscOptionsHasName(object->options, object->prefix, "-pc_type", &named));
  const std::string type = object->type_name == nullptr ? "" : object->type_name;
  if (named == PETSC_TRUE || !(type.empty() || is_default_type(type))) PetscFunctionReturn(PETSC_SUCCESS);
  data->replaced = type;
  PetscCall(PCSetType(ksp->pc, preconditioner_name));
  PetscCall(PCSetFromOptions(ksp->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve(KSP ksp);

/// KSPCG exchanges the solve of the KSP for its variant with a single reduction, and back. Keeps that for KSPCG, and puts
/// ours in its place.
void keep_solve_of_cg(KSP ksp, CgData* data) {
  if (ksp->ops->solve == solve) return;
  data->single_reduction = ksp->ops->solve != data->plain_solve;
  data->cg.solve = ksp->ops->solve;
  data->cg_is_set_up = false;  // The variant has more work vectors.
  ksp->ops->solve = solve;
}

/// Implements KSPCGUseSingleReduction, which may come at any time.
PetscErrorCode use_single_reduction(KSP ksp, PetscBool use) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  PetscCall(data->use_single_reduction(ksp, use));
  keep_solve_of_cg(ksp, data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_from_options(KSP ksp, OptionItems PetscOptionsObject) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  if (data->cg.setfromoptions != nullptr) PetscCall(data->cg.setfromoptions(ksp, PetscOptionsObject));
  keep_solve_of_cg(ksp, data);
  const PetscErrorCode error =
      guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return replace_default(ksp, data); });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// KSPSetUp calls this before it sets up the preconditioner.
PetscErrorCode set_up(KSP ksp) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  data->cg_is_set_up = false;
  keep_solve_of_cg(ksp, data);
  if (reinterpret_cast<PetscObject>(ksp->pc)->type_name == nullptr) PetscCall(PCSetType(ksp->pc, preconditioner_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_by_ksp_cg(KSP ksp, CgData* data, const std::string& reason) {
  PetscFunctionBegin;
  PetscCall(PetscInfo(ksp, "KSPCG solves, because %s\n", reason.c_str()));
  if (!data->cg_is_set_up) PetscCall(data->cg.setup(ksp));
  data->cg_is_set_up = true;
  PetscCall(data->cg.solve(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A preconditioner that was kept (-ksp_reuse_preconditioner) may be older than the values, but has the pattern.
PetscErrorCode bring_up_to_date(KSP ksp, std::string* reason) {
  Mat a = ksp->pc->mat;
  PreconditionerData* preconditioner = nullptr;
  bool current = false;
  bool same_pattern = false;
  PetscFunctionBegin;
  PetscCall(preconditioner_data(ksp->pc, &preconditioner));
  PetscCall(preconditioner->system->has_values_of(a, &current));
  if (current) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(preconditioner->system->knows_pattern_of(a, &same_pattern));
  if (same_pattern) {
    PetscCall(preconditioner->system->take_values(a));
  } else {
    *reason = "the preconditioner is kept from a matrix with another pattern";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve(KSP ksp) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    std::string reason;
    PetscFunctionBegin;
    PetscCall(why_ksp_cg(ksp, &reason));
    if (reason.empty()) PetscCall(bring_up_to_date(ksp, &reason));
    data->has_report = false;
    if (reason.empty()) {
      PetscCall(solve_in_library(ksp, data));
    } else {
      PetscCall(solve_by_ksp_cg(ksp, data, reason));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode reset(KSP ksp) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  data->cg_is_set_up = false;
  data->has_report = false;
  PetscCall(VecDestroy(&data->residual));
  if (data->cg.reset != nullptr) PetscCall(data->cg.reset(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(KSP ksp) {
  CgData* data = nullptr;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  const auto destroy_cg = data->cg.destroy;
  PetscCall(VecDestroy(&data->residual));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(ksp), container_name, nullptr));
  delete data;
  PetscCall(destroy_cg(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the KSP one of KSPCG, apart from its name, and keeps its operations.
PetscErrorCode create_cg(KSP ksp, CgData* data) {
  PetscErrorCode (*create)(KSP) = nullptr;
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(KSPList, KSPCG, &create));
  PetscCheck(create != nullptr, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), PETSC_ERR_SUP,
             "gpusupernodalcg needs the type cg, which this PETSc does not have");
  PetscCall(create(ksp));
  data->cg = *ksp->ops;
  data->plain_solve = ksp->ops->solve;
  PetscCall(
      PetscObjectQueryFunction(reinterpret_cast<PetscObject>(ksp), single_reduction_name, &data->use_single_reduction));
  PetscCall(PetscContainerCreate(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &container));
  PetscCall(PetscContainerSetPointer(container, data));
  PetscCall(
      PetscObjectCompose(reinterpret_cast<PetscObject>(ksp), container_name, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create(KSP ksp) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    auto data = std::make_unique<CgData>();
    PetscFunctionBegin;
    PetscCall(create_cg(ksp, data.get()));
    static_cast<void>(data.release());  // destroy deletes it.
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(error);
  ksp->ops->setup = set_up;
  ksp->ops->solve = solve;
  ksp->ops->setfromoptions = set_from_options;
  ksp->ops->view = view_cg;
  ksp->ops->reset = reset;
  ksp->ops->destroy = destroy;
  // KSPCG composes this function, and its destroy removes it.
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(ksp), single_reduction_name, use_single_reduction));
  // The library looks at ‖b − Ax‖. KSPCG has the other norms, but with lower priority.
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode cg_data(KSP ksp, CgData** data) {
  PetscContainer container = nullptr;
  void* pointer = nullptr;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectQuery(reinterpret_cast<PetscObject>(ksp), container_name, reinterpret_cast<PetscObject*>(&container)));
  PetscCheck(container != nullptr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "gpusupernodalcg has lost its data");
  PetscCall(PetscContainerGetPointer(container, &pointer));
  *data = static_cast<CgData*>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode register_conjugate_gradients() {
  PetscFunctionBegin;
  // As for solvers: the type must not be registered before the package is initialized.
  PetscCall(KSPInitializePackage());
  PetscCall(KSPRegister(cg_name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
