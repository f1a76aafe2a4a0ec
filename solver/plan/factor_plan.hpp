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

/// The structure of a factorization and the plans of the backends that may run it. The parts are shared pointers:
/// adding a backend's plan copies nothing. Any number of threads and solvers may read a plan concurrently.
class FactorPlan {
 public:
  FactorPlan(std::shared_ptr<const HostPlan> host, std::shared_ptr<const CudaPlan> cuda);

  const FactorStructure& structure() const { return *host_->structure; }
  const HostPlan& host() const { return *host_; }
  /// Throws InvalidState if the plan has no CUDA part.
  const CudaPlan& cuda() const;
  const std::shared_ptr<const HostPlan>& host_plan() const { return host_; }
  /// nullptr if the plan has no CUDA part.
  const std::shared_ptr<const CudaPlan>& cuda_plan() const { return cuda_; }
  /// The plan of one backend. Throws as cuda().
  const BackendPlan& of(Backend backend) const;

  /// Memory that `backend` needs for values of type `scalar`; `keep_a` adds the copy of A and the vectors for
  /// refinement.
  MemoryEstimate memory(Backend backend, ScalarType scalar, bool keep_a, int host_workers = 1, bool ldlt = false) const;
  /// Bytes of host memory that the plan itself occupies.
  std::int64_t bytes() const;

 private:
  std::shared_ptr<const HostPlan> host_;
  std::shared_ptr<const CudaPlan> cuda_;

 public:
  // Shortcuts to parts of structure().
  const SymbolicFactor& symbolic = structure().symbolic;
  const PanelLayout& panels = structure().panels;
  const AssemblyMap& assembly = structure().assembly;
  const UpdateList& updates = structure().updates;
};

/// A general matrix, for LU. `structure` lacks old_row_of_new, which the ordering decides.
struct GeneralInput {
  PatternView pattern;                        ///< Pattern of A, as the caller stored it. Not read if there is a hash.
  std::optional<std::uint64_t> pattern_hash;  ///< Hash in an earlier plan for A.
  GeneralStructure structure;
};

struct PlanOptions {
  SymbolicOptions symbolic;
  std::int32_t block_width = 0;                  ///< 0: each backend's default.
  std::optional<ScheduleOptions> host_schedule;  ///< Replaces the host's own rules, for tests and measurements.
  std::optional<CudaPlanOptions> cuda;           ///< If set, plan for a device too.
  CostFigures figures;                           ///< Figures of the machine, for the cost model.
  ColumnRules column_rules;                      ///< For LU by columns.
  /// If set, the pattern given to make_plan is the symmetrized one of this matrix, and the plan is for LU.
  std::shared_ptr<const GeneralInput> general;
};

/// A 64-bit hash of the caller's pattern: that of `general`, unless it is null, else that of `pattern`. Cost: O(nnz).
std::uint64_t hash_of(const PatternView& pattern, const GeneralInput* general);

/// Validates `pattern` and builds its plan. Throws as validate_pattern and analyze_graph.
std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress = {});

/// Returns `plan` if it has a CUDA part with these options, else a plan with a new CUDA part that shares the other
/// parts. Cost: O(rows + tasks).
std::shared_ptr<const FactorPlan> with_cuda(const std::shared_ptr<const FactorPlan>& plan, const CudaPlanOptions& options,
                                            int threads);

/// Whether `plan` was made for `pattern`, judged by a 64-bit hash of the pattern. Cost: O(nnz).
bool same_pattern(const FactorPlan& plan, const PatternView& pattern);

}  // namespace gpusupernodal
