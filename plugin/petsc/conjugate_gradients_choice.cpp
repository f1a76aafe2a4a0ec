/// \file
/// When -ksp_type gpusupernodalcg runs in the library, and its view.

#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/conjugate_gradients.hpp"
#include "plugin/petsc/guard.hpp"

namespace gpusupernodal::petsc {
namespace {

using AnyFunction = void (*)();

/// Whether all monitors look at the norm of the residual only; others may ask for the iterate, which is not there.
bool monitors_look_at_norms(KSP ksp) {
  const AnyFunction known[] = {
      reinterpret_cast<AnyFunction>(KSPMonitorResidual), reinterpret_cast<AnyFunction>(KSPMonitorResidualShort),
      reinterpret_cast<AnyFunction>(KSPMonitorResidualDraw), reinterpret_cast<AnyFunction>(KSPMonitorResidualDrawLG)};
  for (PetscInt k = 0; k < ksp->numbermonitors; ++k) {
    bool is_known = false;
    for (const AnyFunction function : known)
      is_known = is_known || reinterpret_cast<AnyFunction>(ksp->monitor[k]) == function;
    if (!is_known) return false;
  }
  return true;
}

/// What the preconditioner has against it.
PetscErrorCode why_not_with_pc(KSP ksp, std::string* reason) {
  PreconditionerData* data = nullptr;
  PetscBool scaled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(preconditioner_data(ksp->pc, &data));
  PetscCall(PCGetDiagonalScale(ksp->pc, &scaled));
  const char* const type = reinterpret_cast<PetscObject>(ksp->pc)->type_name;
  if (data == nullptr) {
    *reason = std::string("the preconditioner is ") + (type == nullptr ? "not set" : type) + ", not gpusupernodal";
  } else if (is_method(kind_of(ksp->pc, *data))) {
    *reason = std::string("-pc_gpusupernodal_kind ") + name_of(kind_of(ksp->pc, *data)) + " solves by itself";
  } else if (ksp->pc->mat != ksp->pc->pmat) {
    *reason = "the preconditioner is made for another matrix than the operator";
  } else if (scaled == PETSC_TRUE) {
    *reason = "the preconditioner is scaled";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether -ksp_min_it is given, which PETSc has since 3.20.
bool has_least_iterations([[maybe_unused]] KSP ksp) {
#if PETSC_VERSION_GE(3, 20, 0)
  return ksp->min_it > 0;
#else
  return false;
#endif
}

/// Whether -ksp_converged_neg_curve is given, which PETSc has since 3.19.
bool converges_at_negative_curvature([[maybe_unused]] KSP ksp) {
#if PETSC_VERSION_GE(3, 19, 0)
  return ksp->converged_neg_curve == PETSC_TRUE;
#else
  return false;
#endif
}

/// What the settings of the KSP have against it.
const char* why_not_with(KSP ksp) {
  if (ksp->normtype != KSP_NORM_UNPRECONDITIONED && ksp->normtype != KSP_NORM_DEFAULT)
    return "the norm for the test of convergence is not the unpreconditioned one";
  if (reinterpret_cast<AnyFunction>(ksp->converged) != reinterpret_cast<AnyFunction>(KSPConvergedDefault))
    return "the test of convergence is not PETSc's default";
  if (ksp->chknorm > 0) return "norms are not to be computed in all iterations";
  if (has_least_iterations(ksp)) return "a least number of iterations is given";
  if (converges_at_negative_curvature(ksp)) return "negative curvature is to count as convergence";
  if (ksp->calc_sings || ksp->calc_ritz) return "singular values or Ritz values are to be computed";
  if (ksp->dscale) return "the system is scaled by its diagonal";
  if (!monitors_look_at_norms(ksp)) return "a monitor may look at more than the norm of the residual";
  return nullptr;
}

PetscErrorCode view_last(const CgData& data, PetscViewer viewer) {
  const PcgReport& report = data.last.report;
  PetscFunctionBegin;
  if (data.last.diverged) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "last solve: given up, because the residual has grown\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "last solve: %s after %lld iterations, restarts %lld, residual %g\n",
                                   gpusupernodal::name_of(report.status), static_cast<long long>(report.iterations),
                                   static_cast<long long>(report.restarts), report.residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_lines(KSP ksp, const CgData& data, PetscViewer viewer) {
  std::string reason;
  PetscFunctionBegin;
  PetscCall(why_ksp_cg(ksp, &reason));
  if (reason.empty()) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "gpusupernodal %s: conjugate gradients in the library\n", version()));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "KSPCG solves, because %s\n", reason.c_str()));
  }
  PreconditionerData* preconditioner = nullptr;
  PetscCall(preconditioner_data(ksp->pc, &preconditioner));
  if (!data.replaced.empty() && preconditioner != nullptr) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "preconditioner gpusupernodal in place of PETSc's default %s\n",
                                     data.replaced.c_str()));
  }
  if (data.has_report) PetscCall(view_last(data, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode why_ksp_cg(KSP ksp, std::string* reason) {
  MatNullSpace null_space = nullptr;
  PetscFunctionBegin;
  reason->clear();
  CgData* data = nullptr;
  PetscCall(cg_data(ksp, &data));
  if (data->single_reduction) *reason = "-ksp_cg_single_reduction was given";
  if (!reason->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(why_not_with_pc(ksp, reason));
  if (!reason->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const char* const setting = why_not_with(ksp);
  if (setting != nullptr) *reason = setting;
  if (ksp->pc->mat != nullptr) PetscCall(MatGetNullSpace(ksp->pc->mat, &null_space));
  if (null_space != nullptr) *reason = "the matrix has a null space";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_cg(KSP ksp, PetscViewer viewer) {
  CgData* data = nullptr;
  PetscBool is_ascii = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(cg_data(ksp, &data));
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  if (data->cg.view != nullptr) PetscCall(data->cg.view(ksp, viewer));
  if (is_ascii == PETSC_FALSE) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode error =
      guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return view_lines(ksp, *data, viewer); });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
