#include "plugin/petsc/joint_phases.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "gpusupernodal/names.hpp"
#include "plugin/petsc/cores.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr double bytes_per_gigabyte = 1e9;

/// What MatGetInfo says of the whole factor.
MatInfo info_of_all(const JointFactor& joint, const AnalyzeReport& analysis, const MatFactorInfo* given) {
  const DistributionReport& report = joint.solver().distribution();
  double bytes = 0.0;
  for (const PartReport& part : report.parts) bytes += static_cast<double>(part.bytes_in_all);
  const auto nonzeros = static_cast<double>(joint.solver().nonzeros_l());
  MatInfo info = MatInfo();
  info.block_size = 1.0;
  info.nz_allocated = static_cast<double>(report.bytes) / static_cast<double>(sizeof(PetscScalar));
  info.nz_used = nonzeros;
  info.nz_unneeded = info.nz_allocated - nonzeros;
  info.memory = bytes;
  info.fill_ratio_given = given != nullptr ? static_cast<double>(given->fill) : 0.0;
  info.fill_ratio_needed = nonzeros / static_cast<double>(std::max<std::int64_t>(analysis.nonzeros_a, 1));
  return info;
}

/// The options with which the parts work. Others than hosts have been refused.
Options joint_options(const Options& options, const CoreShare& share) {
  Options joint = options;
  joint.form = Form::llt;
  joint.backend = Backend::host;
  if (joint.threads == 0) joint.threads = share.cores;
  return joint;
}

}  // namespace

PetscErrorCode analyze_jointly(Mat f, Mat a, Preview* preview, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  std::unique_ptr<JointFactor> joint;
  PetscMPIInt tag = 0;
  CoreShare share;
  Options used;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetNewTag(reinterpret_cast<PetscObject>(f), &tag));
  PetscCall(share_cores(data.ranks, &share));
  PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    data.solver = Solver<PetscScalar>();  // Its factor would take memory in vain.
    used = joint_options(data.options, share);
    joint = std::make_unique<JointFactor>(data.ranks, tag);
    return PETSC_SUCCESS;
  }));
  const auto make_plan = [&]() -> std::shared_ptr<const FactorPlan> {
    if (!preview->plan) *preview = Solver<PetscScalar>::preview(data.input.view(), used);
    return preview->plan;
  };
  PetscCall(joint->analyze(a, std::cref(make_plan), used));
  PetscCall(data.input.release());
  data.analysis = std::move(preview->report);
  data.analysis.backend_reason = "hosts only";  // Short enough to need no memory.
  data.info = info_of_all(*joint, data.analysis, info);
  PetscCall(broadcast(data.ranks, &data.info, sizeof(data.info)));
  data.backend = Backend::host;
  data.joint = std::move(joint);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode factorize_jointly(Mat f, Mat a, bool same_pattern) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  data.outcome = Outcome();
  {
    const LogScope scope(log_events().upload, f);
    PetscCall(data.joint->take_values(a, same_pattern));
  }
  const LogScope scope(log_events().factor, f);
  data.monitor.begin("factorize");
  PetscCall(data.joint->factorize());
  data.monitor.end();
  const FactorReport& report = data.joint->solver().factor_report();
  data.outcome.status = report.status;
  data.outcome.failed_row = report.failed_column;
  data.outcome.failed_value = report.failed_value;
  PetscCall(log_flops(Backend::host, data.joint->own_part().flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_jointly(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  PetscCall(data.joint->solve(b, x, part == System::transposed));
  // One product and one sum for each value of L, in both directions.
  const double values = static_cast<double>(data.joint->own_part().bytes) / static_cast<double>(sizeof(PetscScalar));
  PetscCall(log_flops(Backend::host, 4.0 * values * static_cast<double>(b.cols)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode no_half_of_joint_factor(Mat f, Vec b, Vec x) {
  static_cast<void>(f);
  static_cast<void>(b);
  static_cast<void>(x);
  PetscFunctionBegin;
  PetscCheck(
      false, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "gpusupernodal: a factor of all ranks has no MatForwardSolve and MatBackwardSolve, which -ksp_pc_side symmetric "
      "needs; use -mat_gpusupernodal_distribute owner");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_joint_factor(const FactorData& data, PetscViewer viewer) {
  const DistributedSolver<PetscScalar>& solver = data.joint->solver();
  const DistributionReport& report = solver.distribution();
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "ranks: %d, all factorize together, %d threads on the first\n",
                                   static_cast<int>(data.ranks.size), data.joint->options().threads));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (std::size_t rank = 0; rank < report.parts.size(); ++rank) {
    const PartReport& part = report.parts[rank];
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "rank %d: %.3g GB, %.3g GB of them factor, %.1f %% of the work, %lld subtrees, %lld block columns\n",
        static_cast<int>(rank), static_cast<double>(part.bytes_in_all) / bytes_per_gigabyte,
        static_cast<double>(part.bytes) / bytes_per_gigabyte, report.flops > 0.0 ? 100.0 * part.flops / report.flops : 0.0,
        static_cast<long long>(part.subtrees), static_cast<long long>(part.top_columns)));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MatInfo info_of_parts(const FactorData& data, MatInfoType flag) {
  MatInfo info = data.info;
  if (flag == MAT_GLOBAL_SUM) return info;
  std::int64_t bytes = data.joint->own_part().bytes;
  std::int64_t bytes_in_all = data.joint->own_part().bytes_in_all;
  if (flag == MAT_GLOBAL_MAX) {
    for (const PartReport& part : data.joint->solver().distribution().parts) {
      bytes = std::max(bytes, part.bytes);
      bytes_in_all = std::max(bytes_in_all, part.bytes_in_all);
    }
  }
  info.nz_allocated = info.nz_used = static_cast<double>(bytes) / static_cast<double>(sizeof(PetscScalar));
  info.nz_unneeded = 0.0;
  info.memory = static_cast<double>(bytes_in_all);
  return info;
}

}  // namespace gpusupernodal::petsc
