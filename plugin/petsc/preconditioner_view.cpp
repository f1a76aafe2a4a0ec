#include <string>

#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/preconditioner.hpp"

namespace gpusupernodal::petsc {
namespace {

const char* nature_of(Kind kind) {
  if (!is_method(kind)) return "a fixed preconditioner";
  return is_fixed(kind) ? "a method that solves" : "a method that solves up to its tolerance; an outer KSP must be flexible";
}

PetscErrorCode view_setup(const PreconditionerData& data, PetscViewer viewer) {
  const PcgReport& setup = data.system->outcome().setup;
  PetscFunctionBegin;
  if (setup.status == PcgStatus::not_finite) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "no preconditioner: the matrix has values that are not finite\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (setup.status == PcgStatus::breakdown) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "no preconditioner: no positive pivot in row %lld\n",
                                     static_cast<long long>(setup.bad_row)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Kind kind = data.system->kind();
  if (kind == Kind::block_jacobi) PetscCall(PetscViewerASCIIPrintf(viewer, "blocks: %d rows\n", setup.block_size));
  if (kind == Kind::fsai && setup.plain_rows > 0)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "rows with a diagonal entry only: %lld\n", static_cast<long long>(setup.plain_rows)));
  if (kind == Kind::factor) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "precision of the factor: %s\n",
                                     gpusupernodal::name_of(data.settings.pcg.factor_precision)));
    if (setup.factor_shift != 0.0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "shift: %g added to the diagonal\n", setup.factor_shift));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the last solve did. The reasons are known on the owner, which prints.
PetscErrorCode view_method(const PreconditionerData& data, PetscViewer viewer) {
  const SystemOutcome& outcome = data.system->outcome();
  const SystemReport* report = data.system->system_report();
  PetscFunctionBegin;
  if (outcome.status == SystemStatus::not_solved) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "nothing solved yet\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "last solve: %s by %s, %lld iterations\n", gpusupernodal::name_of(outcome.status),
                                   gpusupernodal::name_of(outcome.method), static_cast<long long>(outcome.iterations)));
  if (report != nullptr && !report->reason.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "why: %s\n", report->reason.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_lines(PC pc, const PreconditionerData& data, PetscViewer viewer) {
  const Ranks& ranks = data.system->ranks();
  const Kind kind = kind_of(pc, data);
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "gpusupernodal %s:\n", version()));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "kind: %s, %s\n", name_of(kind), nature_of(kind)));
  if (pc->setupcalled) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "backend: %s\n", gpusupernodal::name_of(data.system->outcome().backend)));
    if (ranks.size > 1) {
      PetscCall(
          PetscViewerASCIIPrintf(viewer, "ranks: %d, the matrix is collected on the first\n", static_cast<int>(ranks.size)));
    }
    PetscCall(is_method(kind) ? view_method(data, viewer) : view_setup(data, viewer));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode view_preconditioner(PC pc, PetscViewer viewer) {
  PreconditionerData* data = nullptr;
  PetscBool is_ascii = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  PetscCall(preconditioner_data(pc, &data));
  if (is_ascii == PETSC_FALSE || data == nullptr) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode error =
      guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return view_lines(pc, *data, viewer); });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
