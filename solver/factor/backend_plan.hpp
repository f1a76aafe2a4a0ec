#pragma once

/// \file
/// BackendPlan: what the plan of any backend tells before anything runs.

#include <cstdint>

#include "gpusupernodal/report.hpp"
#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// What memory depends on beside the plan.
struct MemoryRequest {
  std::int64_t scalar_bytes = sizeof(double);
  bool keep_a = false;   ///< A's values are kept for refinement, with its vectors.
  int host_workers = 1;  ///< Threads of a host solve.
};

/// The work of a factorization as it runs.
struct PlannedWork {
  std::int64_t tasks = 0;
  double critical_path_flops = 0.0;  ///< Of the longest chain of tasks that wait for each other.
};

/// All that one backend decides before values exist. Plans are made without the backend's device, are immutable, and can be
/// shared by any number of solvers and threads.
class BackendPlan {
 public:
  virtual ~BackendPlan() = default;
  BackendPlan() = default;
  BackendPlan(const BackendPlan&) = delete;
  BackendPlan& operator=(const BackendPlan&) = delete;

  /// What running the plan takes, with one right-hand side reserved; counted from the plan's own lists.
  virtual MemoryEstimate memory(const MemoryRequest& request) const = 0;
  virtual PlannedWork work() const = 0;
  /// The leaf subtrees that reports tell apart.
  virtual const Schedule& cut() const = 0;
  /// Host memory of the plan itself, without the structure that it shares with others.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace gpusupernodal
