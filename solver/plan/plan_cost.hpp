#pragma once

/// \file
/// The cost model applied to a plan.

#include <cstdint>

#include "solver/model/cost_model.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// All features except solve_steps, which needs a plan for a device. Cost: O(supernodes).
CostFeatures cost_features_without_steps(const FactorPlan& plan);

/// All features. Precondition: the plan has a CUDA part.
CostFeatures cost_features(const FactorPlan& plan);

/// Estimated seconds of one refactorize and one solve with one right-hand side; A's values, b and x in host memory.
struct CostEstimate {
  double host = 0.0;
  double cuda = 0.0;
  /// `cuda` is a lower bound: without a CUDA part, the plan does not tell the number of solve steps.
  bool cuda_is_lower_bound = false;
};

CostEstimate estimate_cost(const FactorPlan& plan, const CostModel& model, int host_threads, ScalarType scalar);

}  // namespace gpusupernodal
