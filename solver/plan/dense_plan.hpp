#pragma once

/// \file
/// Plans for LU on dense storage. From the values they take scales only: each factorization searches its own pivots.

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Makes a plan for LU on dense storage, for the host only. `magnitudes` has |value| of each stored entry in the caller's
/// order, for scales that factorizations keep while they suit the values; it may be null. Rows and columns get one order,
/// which matters to matrices with many zeros. Ordering::automatic keeps the order of A if more than half of the entries of
/// A + Aᵀ are stored; otherwise it orders as for Cholesky. Throws as validate_general_pattern and make_plan, and
/// InvalidInput if the order of A exceeds max_dense_order. Cost: O(nnz), and an ordering.
std::shared_ptr<const FactorPlan> make_dense_plan(const PatternView& pattern, const double* magnitudes,
                                                  const PlanOptions& options,
                                                  const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
