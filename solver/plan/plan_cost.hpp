#pragma once

/// \file
/// What the cost model says of a plan.

#include <cstdint>

#include "solver/model/cost_model.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// All but solve_steps, which only a plan for a device knows. Cost O(supernodes).
CostFeatures cost_features_without_steps(const FactorPlan& plan);

/// Precondition: the plan has a part for a device.
CostFeatures cost_features(const FactorPlan& plan);

/// Estimated seconds of one refactorize and one solve with a right-hand side; A's values, b and x in host memory.
struct CostEstimate {
  double host = 0.0;
  double cuda = 0.0;
  /// `cuda` does not include the steps of solves, because the plan has no part for a device: a lower bound.
  bool cuda_is_lower_bound = false;
};

CostEstimate estimate_cost(const FactorPlan& plan, const CostModel& model, int host_threads, std::int64_t scalar_bytes);

}  // namespace gpusupernodal
