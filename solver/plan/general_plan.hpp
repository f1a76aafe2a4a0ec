#pragma once

/// \file
/// Plans for LU of general matrices.

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Validates the pattern of a general matrix (StoredPart::full, all entries) and makes a plan for LU, for a device too if
/// the options have one. `magnitudes` has |value| of each stored entry in the caller's order, for the exchange of rows by
/// `rule`; if it is null, rows stay. Throws as validate_general_pattern and make_plan. Cost: that of make_plan for the
/// symmetrized pattern, and of maximum_product_matching.
std::shared_ptr<const FactorPlan> make_general_plan(const PatternView& pattern, const double* magnitudes, MatchingRule rule,
                                                    const PlanOptions& options,
                                                    const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
