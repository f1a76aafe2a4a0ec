#pragma once

/// \file
/// FactorPlan: everything decided before values are known, for all backends, as one immutable value.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/factor/factor_structure.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/model/cost_figures.hpp"

namespace gpusupernodal {

/// The structure of a factorization and the plans of the backends that may run it. The parts are shared: a plan to which
/// another backend is added shares all that was there. Safe to read from any number of threads and solvers at once.
class FactorPlan {
 public:
  FactorPlan(std::shared_ptr<const HostPlan> host, std::shared_ptr<const CudaPlan> cuda);

  const FactorStructure& structure() const { return *host_->structure; }
  const HostPlan& host() const { return *host_; }
  /// Throws InvalidState without a plan for a device.
  const CudaPlan& cuda() const;
  const std::shared_ptr<const HostPlan>& host_plan() const { return host_; }
  /// nullptr where no device was to be planned for.
  const std::shared_ptr<const CudaPlan>& cuda_plan() const { return cuda_; }
  /// The plan of one backend. Throws as cuda().
  const BackendPlan& of(Backend backend) const;

  /// What `backend` takes for values of `scalar_bytes`, with A's copy and vectors where refinement asks for them.
  MemoryEstimate memory(Backend backend, std::int64_t scalar_bytes, bool keep_a, int host_workers = 1) const;
  /// Host memory of the plan itself.
  std::int64_t bytes() const;

 private:
  std::shared_ptr<const HostPlan> host_;
  std::shared_ptr<const CudaPlan> cuda_;

 public:
  // Parts of structure(), which every user of a plan reads.
  const SymbolicFactor& symbolic = structure().symbolic;
  const PanelLayout& panels = structure().panels;
  const AssemblyMap& assembly = structure().assembly;
  const UpdateList& updates = structure().updates;
};

struct PlanOptions {
  SymbolicOptions symbolic;
  std::int32_t block_width = 0;                  ///< 0: default of each backend.
  std::optional<ScheduleOptions> host_schedule;  ///< In place of the host's own rules, for tests and measurements.
  std::optional<CudaPlanOptions> cuda;           ///< Plan for a device, too.
  CostFigures figures;                           ///< Figures of the machine, for the cost model.
};

/// Validates `pattern` and builds its plan. Throws as validate_pattern and analyze_graph do.
std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress = {});

/// `plan` with a plan for a device that has these options: `plan` itself where it has one, else a plan that shares the other
/// parts with it. Cost O(rows + tasks).
std::shared_ptr<const FactorPlan> with_cuda(const std::shared_ptr<const FactorPlan>& plan, const CudaPlanOptions& options,
                                            int threads);

/// Whether `pattern` is the one `plan` was made for, as far as a 64-bit hash of all its numbers tells. Cost O(nnz).
bool same_pattern(const FactorPlan& plan, const PatternView& pattern);

}  // namespace gpusupernodal
