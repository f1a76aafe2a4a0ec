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

/// How rows are exchanged for the values of a later factorization.
enum class RowExchange {
  matching,  ///< By a matching of largest product.
  threshold  ///< By threshold pivoting in the order of the earlier plan, with such a matching for its preferred rows.
};

/// Makes another plan for the matrix of `earlier`, a plan for LU, whose pivots suit `values`: those of A in the caller's
/// order of entries, in host memory, finite. Returns null if the exchange would be that of the earlier plan. The options are
/// those of the earlier plan; `threshold` keeps its order of columns instead of theirs. S: float, double and their complex
/// types. Throws as make_plan. Cost: that of make_general_plan, and of threshold_pivots.
template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_plan(const FactorPlan& earlier, const S* values, RowExchange exchange,
                                                      const PlanOptions& options);

}  // namespace gpusupernodal
