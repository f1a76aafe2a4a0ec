#include <cstdio>
#include <string>

#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/joint_phases.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr double bytes_per_mebibyte = 1024.0 * 1024.0;
constexpr double bytes_per_gigabyte = 1e9;

/// " (reason)", or nothing.
std::string in_brackets(const std::string& reason) { return reason.empty() ? "" : " (" + reason + ")"; }

/// The ordering and the reason for it. PETSc's orderings are user orderings of the library.
std::string ordering_text(const AnalyzeReport& r) {
  return r.ordering == Ordering::user ? "given by PETSc" : name_of(r.ordering) + in_brackets(r.ordering_reason);
}

/// The condition that ends refinement before the maximum number of steps.
std::string refinement_end(double backward_error) {
  if (backward_error == 0.0) return "until a step no longer halves the backward error";
  char text[64];
  std::snprintf(text, sizeof(text), "until the backward error is at most %g", backward_error);
  return text;
}

const AnalyzeReport& analysis_of(const FactorData& data) {
  return data.joint ? data.analysis : data.solver.analyze_report();
}
const Options& options_of(const FactorData& data) { return data.joint ? data.joint->options() : data.solver.options(); }
bool is_factorized(Mat f) {
  const FactorData& data = factor_data(f);
  return data.joint ? data.joint->is_factorized() : data.solver.is_factorized();
}
FactorReport report_of(FactorData& data) {
  return data.joint ? data.joint->solver().factor_report() : data.solver.factor_report();
}

/// Where the factor is and what memory it takes.
PetscErrorCode view_place(const FactorData& data, PetscViewer viewer) {
  const Ranks& ranks = data.ranks;
  const AnalyzeReport& r = analysis_of(data);
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "backend: %s%s\n", name_of(r.backend), in_brackets(r.backend_reason).c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "device: %s\n", r.device.c_str()));
  if (data.joint) {
    PetscCall(view_joint_factor(data, viewer));
  } else if (ranks.size > 1) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "ranks: %d, the matrix is collected on the first%s\n",
                                     static_cast<int>(ranks.size), in_brackets(data.distribution_reason).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_memory(const FactorData& data, PetscViewer viewer) {
  const MemoryEstimate& memory = analysis_of(data).memory;
  PetscFunctionBegin;
  if (data.joint) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "memory: %.5g MiB on all ranks\n", data.info.memory / bytes_per_mebibyte));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "memory: %.5g MiB (factor %.5g, index %.5g, workspace %.5g)\n",
      static_cast<double>(memory.total()) / bytes_per_mebibyte, static_cast<double>(memory.factor) / bytes_per_mebibyte,
      static_cast<double>(memory.index) / bytes_per_mebibyte, static_cast<double>(memory.workspace) / bytes_per_mebibyte));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (memory.host > 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "device: %.3g GB, page-locked host memory: %.3g GB\n",
                                     static_cast<double>(memory.total()) / bytes_per_gigabyte,
                                     static_cast<double>(memory.host) / bytes_per_gigabyte));
  }
  for (const DeviceUse& use : analysis_of(data).devices) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "device %d: %.3g GB, %.3g GB of them factor, %.1f %% of the work\n", use.device,
                                     static_cast<double>(use.memory.total()) / bytes_per_gigabyte,
                                     static_cast<double>(use.memory.factor) / bytes_per_gigabyte, 100.0 * use.share));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_analysis(const FactorData& data, PetscViewer viewer) {
  const AnalyzeReport& r = analysis_of(data);
  const Options& options = options_of(data);
  PetscFunctionBegin;
  PetscCall(view_place(data, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "ordering: %s\n", ordering_text(r).c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "supernodes: %lld, widest %lld, largest front %lld, tree height %lld\n",
                                   static_cast<long long>(r.supernodes), static_cast<long long>(r.largest_width),
                                   static_cast<long long>(r.largest_front), static_cast<long long>(r.tree_height)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "merging: %s\n", name_of(options.merging)));
  if (r.backend == Backend::cuda) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "arrays on the device: %s\n",
                                     data.takes_device_arrays ? "used where they are" : "through the host"));
    PetscCall(PetscViewerASCIIPrintf(viewer, "schedule: %s\n", name_of(options.cuda_schedule)));
  }
  if (data.form == Form::ldlt) PetscCall(PetscViewerASCIIPrintf(viewer, "form: ldlt\n"));
  if (data.form == Form::lu) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "matching: %s\n", name_of(options.matching)));
    PetscCall(PetscViewerASCIIPrintf(viewer, "schedule of LU: %s\n", name_of(r.lu_schedule)));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "nonzeros of %s: %lld, stored %lld\n", data.form == Form::lu ? "L and U" : "L",
                                   static_cast<long long>(data.info.nz_used), static_cast<long long>(r.stored_l)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "flops of a factorization: %.4g, done %.4g\n", r.flops, r.stored_flops));
  PetscCall(view_memory(data, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What LU and LDLᵀ have to say of their pivots, or of their failure.
PetscErrorCode view_pivots(Mat f, PetscViewer viewer) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  if (data.outcome.repivoted > 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "factorizations repeated with other pivots: %lld\n",
                                     static_cast<long long>(data.outcome.repivoted)));
  }
  if (data.shift_type != MAT_SHIFT_NONE) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "shift: none, %s ignores %s\n", data.form == Form::lu ? "LU" : "LDLT",
                                     MatFactorShiftTypes[data.shift_type]));
  }
  if (!data.solver.is_factorized()) PetscFunctionReturn(PETSC_SUCCESS);
  const FactorReport report = data.solver.factor_report();
  if (report.status != Status::success) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "no factor: %s, %s %g in column %lld\n", name_of(report.status),
                                     report.status == Status::non_finite_input ? "value" : "pivot", report.failed_value,
                                     static_cast<long long>(report.failed_column)));
  }
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "pivots of the scaled matrix: smallest %g, largest %g, %lld replaced; growth %g\n", report.smallest_pivot,
      report.largest_pivot, static_cast<long long>(report.perturbed_pivots), report.growth));
  if (report.probe_iterations > 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "status after %d iterations of FGMRES, backward error %g\n",
                                     report.probe_iterations, report.probe_error));
  }
  if (const int iterations = data.solver.solve_report().fgmres_iterations; iterations > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "last solve: %d iterations of FGMRES\n", iterations));
  if (data.form == Form::ldlt) {
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "inertia: %lld positive, %lld negative, %lld zero%s\n", static_cast<long long>(report.inertia.positive),
        static_cast<long long>(report.inertia.negative), static_cast<long long>(report.inertia.zero),
        report.inertia_exact ? "" : ", not certain"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_numbers(Mat f, PetscViewer viewer) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  if (data.form != Form::llt) {
    PetscCall(view_pivots(f, viewer));
  } else if (f->factorerrortype != MAT_FACTOR_NOERROR) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "no factor: pivot %g in row %" PetscInt_FMT "\n",
                                     static_cast<double>(f->factorerror_zeropivot_value), f->factorerror_zeropivot_row));
  } else if (data.outcome.shift_attempts > 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "shift: %g added to the diagonal after %d failed factorizations (%s)\n",
                                     data.outcome.shift, data.outcome.shift_attempts, MatFactorShiftTypes[data.shift_type]));
  } else if (is_factorized(f)) {
    const FactorReport report = report_of(data);
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "pivots: smallest %g, largest %g\n", report.smallest_pivot, report.largest_pivot));
  }
  const Refinement refinement = options_of(data).refinement;
  if (refinement.max_steps > 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "refinement: at most %d steps, %s\n", refinement.max_steps,
                                     refinement_end(refinement.backward_error).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_ascii(Mat f, PetscViewer viewer) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "gpusupernodal %s:\n", version()));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  // Only the first rank prints. It has the factor, or knows what all ranks have of it.
  if (data.joint || data.solver.is_analyzed()) {
    PetscCall(view_analysis(data, viewer));
    PetscCall(view_numbers(f, viewer));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "not analyzed yet\n"));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode view_factor(Mat f, PetscViewer viewer) {
  PetscBool is_ascii = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  if (is_ascii == PETSC_FALSE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode error =
      guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return view_ascii(f, viewer); });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode get_info(Mat f, MatInfoType flag, MatInfo* info) {
  const FactorData& data = factor_data(f);
  PetscFunctionBegin;
  *info = data.info;
  if (data.joint) {
    *info = info_of_parts(data, flag);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (flag == MAT_LOCAL && !data.ranks.owner()) {
    info->nz_allocated = info->nz_used = info->nz_unneeded = info->memory = 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
