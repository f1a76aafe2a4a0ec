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

/// Estimated seconds of one refactorize and one solve on dense storage on the host, which may have no plan yet; `work` is
/// that of its plan.
double dense_lu_seconds(const DenseStructure& dense, const PlannedWork& work, const CostModel& model, int host_threads,
                        ScalarType scalar);

/// On the host, LU takes twice the time of Cholesky with the same structure. On a device the figures of Cholesky are taken
/// for LU, too: small matrices depend on the number of launches, which is the same. LU on dense storage takes forever there,
/// because it runs on the host only.
CostEstimate estimate_cost(const FactorPlan& plan, const CostModel& model, int host_threads, ScalarType scalar);

/// Estimated seconds of one refactorize and one solve by columns on one core of the host, for L + U with `values` entries.
double host_column_seconds(double values, double flops, ScalarType scalar);

}  // namespace gpusupernodal
