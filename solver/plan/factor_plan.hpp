#pragma once

/// \file
/// FactorPlan: everything decided before values are known, as one immutable value.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "gpusupernodal/report.hpp"
#include "solver/plan/assembly_map.hpp"
#include "solver/plan/cost_figures.hpp"
#include "solver/plan/cuda_fronts.hpp"
#include "solver/plan/cuda_solve.hpp"
#include "solver/plan/panel_layout.hpp"
#include "solver/plan/schedule.hpp"
#include "solver/plan/solve_schedule.hpp"
#include "solver/plan/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Vectors of order n that refinement takes from an executor.
inline constexpr int refinement_vectors = 5;

/// Extremes of the assembly tree, for reports.
struct TreeShape {
  std::int64_t largest_width = 0;
  std::int64_t largest_front = 0;
  std::int64_t height = 0;  ///< Supernodes on the longest path to a root.
};

/// What the executors of a device need beside what the host's need.
struct CudaPlan {
  Schedule schedule;    ///< Leaf subtrees of narrow supernodes only, which are worked on many at a launch.
  CudaSolvePlan solve;  ///< Triangular solves.
  CudaFronts fronts;    ///< How each front is factorized, and in which level.
};

class StepLog;

/// Immutable after make_plan; safe to read from any number of threads, solvers and backends at once.
class FactorPlan {
 public:
  SymbolicFactor symbolic;
  SymbolicReport symbolic_report;
  PanelLayout panels;
  AssemblyMap assembly;
  UpdateList updates;
  Schedule host_schedule;     ///< Leaf subtrees sized for one thread each.
  SolveSchedule host_solve;   ///< Along the cut of host_schedule.
  double stored_flops = 0.0;  ///< With the explicit zeros of merging.
  std::uint64_t pattern_hash = 0;
  std::int32_t block_width = 0;  ///< As asked for; 0: default of each backend.
  LaunchFigures launch;          ///< Of the device that cuda() is for.
  TreeShape shape;

  /// Made where it is first asked for: most plans of small matrices never see a device.
  const CudaPlan& cuda() const;
  /// The same, made on the threads of a team from what has been begun; `log` is told of its steps.
  const CudaPlan& cuda(ThreadTeam& team, StepLog& log, std::unique_ptr<CudaPlan> begun) const;
  /// What of cuda() needs no updates: they can be made beside it.
  std::unique_ptr<CudaPlan> begin_cuda(ThreadTeam& team, StepLog& log) const;
  /// What the backend will take for values of `scalar_bytes`, with A's copy and vectors where refinement asks for them.
  MemoryEstimate memory(Backend backend, std::int64_t scalar_bytes, bool keep_a, int host_workers = 1) const;
  /// Host memory of the plan itself, with cuda() if that has been made.
  std::int64_t bytes() const;

 private:
  mutable std::once_flag cuda_once_;
  mutable std::atomic<const CudaPlan*> cuda_made_ = nullptr;
  mutable std::unique_ptr<const CudaPlan> cuda_;
};

struct PlanOptions {
  SymbolicOptions symbolic;
  std::int32_t block_width = 0;                  ///< 0: default of each backend.
  std::optional<ScheduleOptions> host_schedule;  ///< In place of the host's own rules, for tests and measurements.
  bool for_device = false;                       ///< Make FactorPlan::cuda() beside the rest, as it will be asked for.
  CostFigures figures;                           ///< Of this machine, for what symbolic.for_device and cuda() decide.
  bool may_take_host = true;                     ///< Where symbolic.for_device: the host may be taken after all.
};

/// Validates `pattern` and builds its plan. Throws as validate_pattern and analyze_graph do.
std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress = {});

/// Whether `pattern` is the one `plan` was made for, as far as a 64-bit hash of all its numbers tells. Cost O(nnz).
bool same_pattern(const FactorPlan& plan, const PatternView& pattern);

}  // namespace gpusupernodal
