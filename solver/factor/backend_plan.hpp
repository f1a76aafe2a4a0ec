#pragma once

/// \file
/// BackendPlan: the interface of all backends' plans.

#include <cstdint>

#include "gpusupernodal/report.hpp"
#include "kernels/common/scalar_type.hpp"
#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// The properties of a solver that its memory depends on, in addition to the plan.
struct MemoryRequest {
  ScalarType scalar = ScalarType::real_double;
  bool keep_a = false;   ///< Whether A's values and the vectors of refinement are kept.
  int host_workers = 1;  ///< Threads of a solve on the host.
  bool ldlt = false;     ///< Whether the form is Form::ldlt.
};

/// Tasks and critical path of a factorization as the backend executes it.
struct PlannedWork {
  std::int64_t tasks = 0;
  double critical_path_flops = 0.0;  ///< Flops of the longest chain of dependent tasks.
};

/// All decisions of one backend that do not depend on values. A plan is made without the backend's device and is immutable.
/// Any number of solvers and threads may share it.
class BackendPlan {
 public:
  virtual ~BackendPlan() = default;
  BackendPlan() = default;
  BackendPlan(const BackendPlan&) = delete;
  BackendPlan& operator=(const BackendPlan&) = delete;

  /// Memory that the plan needs when it runs, with one right-hand side reserved. It is computed from the plan's lists.
  virtual MemoryEstimate memory(const MemoryRequest& request) const = 0;
  virtual PlannedWork work() const = 0;
  /// The schedule whose leaf subtrees reports show separately.
  virtual const Schedule& cut() const = 0;
  /// Host memory of the plan without the shared FactorStructure, in bytes.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace gpusupernodal
