#pragma once

/// \file
/// CudaPlan: how a factorization and its solves run on a CUDA device, launch by launch. Host-only: building one needs
/// no device, only the performance figures of the target device.

#include <cstdint>
#include <memory>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/cuda/plan/column_launches.hpp"
#include "solver/cuda/plan/device_share.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "solver/cuda/plan/solve_plan.hpp"
#include "solver/cuda/plan/stages.hpp"
#include "solver/cuda/plan/stream_plan.hpp"
#include "solver/factor/backend_plan.hpp"
#include "solver/factor/factor_structure.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/model/cuda_fronts.hpp"

namespace gpusupernodal {

class StepLog;

/// What a device plan depends on besides the structure.
struct CudaPlanOptions {
  CudaSchedule schedule = CudaSchedule::levels;
  std::int32_t streams = 4;        ///< 1 … 32.
  bool deterministic = false;      ///< Tasks that add to the same column do so in a fixed order.
  LaunchFigures launch;            ///< Performance figures of the device.
  Form form = Form::llt;           ///< For lu, each panel has a partner.
  ColumnLaunchRules column_rules;  ///< For LU by columns.

  bool operator==(const CudaPlanOptions&) const = default;
};

/// Returns the options with the form of the structure.
CudaPlanOptions options_for(CudaPlanOptions options, const FactorStructure& structure);

class CudaPlan final : public BackendPlan {
 public:
  std::shared_ptr<const FactorStructure> structure;
  CudaPlanOptions options;
  CudaFronts fronts;          ///< Kind and level of each front.
  Schedule schedule;          ///< Leaf subtrees of narrow supernodes. The task graph is built for *streams* only.
  cuda::LaunchPlan launches;  ///< *levels*: launches of all supernodes; *streams*: of the leaf subtrees.
  cuda::StreamPlan streams;   ///< *streams* only: block tasks of the supernodes above the leaf subtrees.
  CudaSolvePlan solve;
  std::shared_ptr<const cuda::ColumnLaunches> columns;  ///< LU by columns; then there are no fronts, launches or sweeps.
  /// For one of several devices: its share, otherwise null. `launches` and `solve` then lack what others do, and panels that
  /// it does not store have no place in the structure's layout.
  std::shared_ptr<const DeviceShare> share;
  /// For a device that cannot hold all panels: its stages, otherwise null. The layout of the structure is then that of the
  /// device, where stages overlap.
  std::shared_ptr<const Stages> stages;

  /// Number of columns whose diagonal entries this device has.
  std::int64_t own_columns() const {
    return share ? static_cast<std::int64_t>(share->columns.size()) : structure->symbolic.order();
  }

  MemoryEstimate memory(const MemoryRequest& request) const override;
  PlannedWork work() const override;
  const Schedule& cut() const override { return schedule; }
  std::int64_t bytes() const override;
};

/// Builds a plan in two steps, for options_for() its structure; the first can run while the structure's update list is still
/// being built.
class CudaPlanBuilder {
 public:
  explicit CudaPlanBuilder(const CudaPlanOptions& options);

  /// Plans fronts and solve sweeps, which need only the supernodes.
  void begin(const SymbolicFactor& factor, ThreadTeam& team, StepLog& log);
  /// Plans everything else. Precondition: begin() has returned, and `structure` is complete and has the supernodes
  /// passed to begin().
  std::shared_ptr<const CudaPlan> finish(std::shared_ptr<const FactorStructure> structure, ThreadTeam& team, StepLog& log);

 private:
  void make_schedule(const FactorStructure& structure, ThreadTeam& team, StepLog& log);

  std::unique_ptr<CudaPlan> plan_;
};

/// Runs both steps.
std::shared_ptr<const CudaPlan> build_cuda_plan(std::shared_ptr<const FactorStructure> structure,
                                                const CudaPlanOptions& options, ThreadTeam& team, StepLog& log);

}  // namespace gpusupernodal
