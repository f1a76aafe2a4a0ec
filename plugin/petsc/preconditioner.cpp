#include "plugin/petsc/preconditioner.hpp"

#include <petsc/private/kspimpl.h>

#include <array>
#include <cstdio>
#include <limits>

#include "plugin/petsc/guard.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Followed by the row.
constexpr const char* no_positive_pivot = "the matrix has no positive pivot";

PreconditionerData& data_of(PC pc) { return *static_cast<PreconditionerData*>(pc->data); }

/// A failure as PETSc counts it: an error if the program asks for errors, else a reason that KSP reports. `row` is negative
/// if no row is to blame.
PetscErrorCode fail_with(PC pc, PCFailedReason reason, const char* sentence, std::int64_t row) {
  std::array<char, 32> place = {};
  std::array<char, 160> text = {};
  PetscFunctionBegin;
  if (row >= 0) std::snprintf(place.data(), place.size(), " in row %lld", static_cast<long long>(row));
  std::snprintf(text.data(), text.size(), "%s%s", sentence, place.data());
  PetscCheck(!pc->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "gpusupernodal: the preconditioner has failed: %s", text.data());
  PetscCall(PetscInfo(pc, "The preconditioner has failed: %s\n", text.data()));
  PetscCall(PCSetFailedReason(pc, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up(PC pc) {
  PreconditionerData& data = data_of(pc);
  PetscInt rows = 0;
  PetscInt columns = 0;
  PetscFunctionBegin;
  PetscCall(MatGetSize(pc->pmat, &rows, &columns));
  PetscCheck(rows == columns, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_SIZ,
             "gpusupernodal preconditions square matrices, this one has %" PetscInt_FMT " rows and %" PetscInt_FMT
             " columns",
             rows, columns);
  PetscCall(data.system->set_up(reinterpret_cast<PetscObject>(pc), pc->pmat, data.settings, data.settings_changed));
  data.settings_changed = false;
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  const PcgReport& report = data.system->outcome().setup;
  if (is_method(data.settings.kind)) PetscFunctionReturn(PETSC_SUCCESS);
  if (report.status == PcgStatus::not_finite) {
    PetscCall(fail_with(pc, PC_FACTOR_OTHER, "the matrix has values that are not finite", -1));
  } else if (report.status == PcgStatus::breakdown) {
    PetscCall(fail_with(pc, PC_FACTOR_NUMERIC_ZEROPIVOT, no_positive_pivot, report.bad_row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// After a failure, KSP looks for the reason when a norm is not finite.
PetscErrorCode spoil(Vec z) { return VecSet(z, std::numeric_limits<PetscReal>::quiet_NaN()); }

/// Why a method has not solved.
const char* failure_of(SystemStatus status) {
  switch (status) {
    case SystemStatus::not_positive_definite:
      return "the matrix is not positive definite";
    case SystemStatus::not_finite:
      return "the matrix or the right-hand side has values that are not finite";
    case SystemStatus::not_converged:
      return "the method has not converged";
    case SystemStatus::inaccurate:
      return "the solution is inaccurate";
    case SystemStatus::not_solved:
    case SystemStatus::solved:
      break;
  }
  return "nothing was solved";
}

PetscErrorCode report_apply(PC pc, Vec z) {
  const SystemOutcome& outcome = data_of(pc).system->outcome();
  PetscFunctionBegin;
  if (outcome.status == SystemStatus::solved) {
    PetscCall(PCSetFailedReason(pc, PC_NOERROR));  // An earlier right-hand side may have failed.
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool definite = outcome.status != SystemStatus::not_positive_definite;
  const char* const sentence = definite || outcome.failed_column < 0 ? failure_of(outcome.status) : no_positive_pivot;
  PetscCall(fail_with(pc, definite ? PC_SUBPC_ERROR : PC_FACTOR_NUMERIC_ZEROPIVOT, sentence, outcome.failed_column));
  PetscCall(spoil(z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// KSP would take the reason of an earlier right-hand side for a failed set-up. Methods have no set-up that fails, so that
/// each solve begins without a reason.
PetscErrorCode pre_solve(PC pc, KSP ksp, Vec, Vec) {
  PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 24, 0)  // PCPreSolve calls either the type's function or the program's.
  if (pc->presolve != nullptr) PetscCall((*pc->presolve)(pc, ksp));
#endif
  if (!is_method(data_of(pc).system->kind())) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  if (ksp->reason == KSP_DIVERGED_PC_FAILED) ksp->reason = KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode apply(PC pc, Vec r, Vec z) {
  PreconditionerData& data = data_of(pc);
  PetscFunctionBegin;
  if (has_failed(data)) {
    PetscCall(spoil(z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(data.system->apply(r, z));
  if (is_method(data.system->kind())) PetscCall(report_apply(pc, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_from_options(PC pc, OptionItems PetscOptionsObject) {
  PreconditionerData& data = data_of(pc);
  const PreconditionerSettings before = data.settings;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "gpusupernodal preconditioner");
  PetscCall(read_preconditioner_items(PetscOptionsObject, &data.settings));
  PetscOptionsHeadEnd();
  data.settings_changed = data.settings_changed || !same_settings(before, data.settings);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode reset(PC pc) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    data_of(pc).system = std::make_unique<CollectedSystem>();
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(PC pc) {
  PetscFunctionBegin;
  delete static_cast<PreconditionerData*>(pc->data);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create(PC pc) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    pc->data = new PreconditionerData();
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  pc->ops->setup = set_up;
  pc->ops->presolve = pre_solve;
  pc->ops->apply = apply;
  pc->ops->applytranspose = apply;  // M is symmetric.
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view_preconditioner;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

Kind kind_of(PC pc, const PreconditionerData& data) { return pc->setupcalled ? data.system->kind() : data.settings.kind; }

bool has_failed(const PreconditionerData& data) {
  return !is_method(data.system->kind()) && data.system->outcome().setup.status != PcgStatus::converged;
}

PetscErrorCode preconditioner_data(PC pc, PreconditionerData** data) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), preconditioner_name, &ours));
  *data = ours == PETSC_TRUE ? &data_of(pc) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode register_preconditioner() {
  PetscFunctionBegin;
  // As for solvers: the type must not be registered before the package is initialized.
  PetscCall(PCInitializePackage());
  PetscCall(PCRegister(preconditioner_name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
