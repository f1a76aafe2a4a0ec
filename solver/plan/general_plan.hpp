#pragma once

/// \file
/// Plans for LU of general matrices.

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Validates the pattern of a general matrix (StoredPart::full, all entries) and makes a plan for LU on the host. If
/// `magnitudes` is not null, it has |value| of each stored entry in the caller's order, and rows are exchanged by the
/// matching with the largest product; otherwise they stay. Throws as validate_general_pattern and make_plan; never makes a
/// CUDA plan. Cost: that of make_plan for the symmetrized pattern, and of maximum_product_matching.
std::shared_ptr<const FactorPlan> make_general_plan(const PatternView& pattern, const double* magnitudes,
                                                    const PlanOptions& options,
                                                    const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
