#pragma once

/// \file
/// CudaPlan: how a factorization and its solves run on a CUDA device, launch by launch. Host-only: no device is needed to
/// make one, only the figures of the device that it is for.

#include <cstdint>
#include <memory>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/cuda/plan/fronts.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "solver/cuda/plan/solve_plan.hpp"
#include "solver/cuda/plan/stream_plan.hpp"
#include "solver/factor/backend_plan.hpp"
#include "solver/factor/factor_structure.hpp"
#include "solver/model/cost_figures.hpp"

namespace gpusupernodal {

class StepLog;

/// What a plan for a device depends on beside the structure.
struct CudaPlanOptions {
  CudaSchedule schedule = CudaSchedule::levels;
  std::int32_t streams = 4;    ///< 1 … 32.
  bool deterministic = false;  ///< Tasks that add to the same column do so in a fixed order.
  LaunchFigures launch;        ///< Of the device.

  bool operator==(const CudaPlanOptions&) const = default;
};

class CudaPlan final : public BackendPlan {
 public:
  std::shared_ptr<const FactorStructure> structure;
  CudaPlanOptions options;
  CudaFronts fronts;          ///< How each front is factorized, and in which level.
  Schedule schedule;          ///< Leaf subtrees of narrow supernodes. Its task graph is made for *streams* alone.
  cuda::LaunchPlan launches;  ///< Of all supernodes; by *streams*, of the leaf subtrees.
  cuda::StreamPlan streams;   ///< By *streams*: the block tasks of the supernodes above the leaf subtrees.
  CudaSolvePlan solve;

  MemoryEstimate memory(const MemoryRequest& request) const override;
  PlannedWork work() const override;
  const Schedule& cut() const override { return schedule; }
  std::int64_t bytes() const override;
};

/// Makes a plan in two steps, so that the first can run beside the making of the structure's update list.
class CudaPlanBuilder {
 public:
  explicit CudaPlanBuilder(const CudaPlanOptions& options);

  /// Fronts and solve sweeps, which need the supernodes alone.
  void begin(const SymbolicFactor& factor, ThreadTeam& team, StepLog& log);
  /// Everything else. Precondition: begin() has ended, and `structure` is complete and has the supernodes of begin().
  std::shared_ptr<const CudaPlan> finish(std::shared_ptr<const FactorStructure> structure, ThreadTeam& team, StepLog& log);

 private:
  void make_schedule(const FactorStructure& structure, ThreadTeam& team, StepLog& log);

  std::unique_ptr<CudaPlan> plan_;
};

/// Both steps.
std::shared_ptr<const CudaPlan> build_cuda_plan(std::shared_ptr<const FactorStructure> structure,
                                                const CudaPlanOptions& options, ThreadTeam& team, StepLog& log);

}  // namespace gpusupernodal
