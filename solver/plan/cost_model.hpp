#pragma once

/// \file
/// How long a refactorize and a solve take on each backend, as far as a plan tells.

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Workers of at most `threads` that a factorization on the host keeps busy.
int host_factor_workers(const FactorPlan& plan, int threads);

/// Estimated seconds of one refactorize and one solve with a right-hand side, A's values coming from host memory.
struct CostEstimate {
  double host = 0.0;
  double cuda = 0.0;
};

/// Constants are fitted to measurements (docs/measurements.md); they decide only which backend `automatic` takes.
CostEstimate estimate_cost(const FactorPlan& plan, int host_threads, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
