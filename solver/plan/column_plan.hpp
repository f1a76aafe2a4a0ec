#pragma once

/// \file
/// Plans for LU by columns: a first factorization on the host fixes the order of rows and columns and the pattern of L + U.

#include <limits>

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Whether this build has LU by columns (GPUSUPERNODAL_LU_COLUMNS).
bool has_lu_by_columns() noexcept;

/// Makes a plan for LU by columns, for a device too if the options have one. A is brought to block triangular form unless
/// the options prescribe an order. Columns are ordered for the fill of B + Bᵀ and, if the pattern of B is far from
/// symmetric and SymbolicOptions::ordering is automatic, of BᵀB, whichever leads to fewer operations; B has the rows of A in
/// the order of a matching. Rows are then
/// exchanged by threshold pivoting with the given values, which lie in host memory. Without values, with MatchingRule::none
/// or if one of them is not finite, rows are not exchanged beyond the matching. S: float, double and their complex types.
/// Returns null if a factorization in all orders that are tried takes more than max_flops operations. A search that exceeds
/// this, or the operations of the other order, is abandoned. `progress` is called many times a second with the phase
/// "ordering" and the fraction done while pivots are searched. Throws as validate_general_pattern and make_plan, and
/// InvalidInput if this build has no LU by columns. Cost: an ordering, and a sparse LU on one core, for each of the two
/// orders.
template <class S>
std::shared_ptr<const FactorPlan> make_column_plan(const PatternView& pattern, const S* values, MatchingRule rule,
                                                   const PlanOptions& options,
                                                   const std::function<bool(const Progress&)>& progress = {},
                                                   double max_flops = std::numeric_limits<double>::infinity());

/// Makes another plan for the matrix of `earlier`, a plan for LU by columns, by a first factorization of other values: those
/// of A in the caller's order of entries, in host memory, finite. The order of columns stays, and so do the diagonal blocks
/// unless rows move from one to another. Returns null if the rows stay where they are. Throws as make_plan. Cost: a sparse
/// LU on one core.
template <class S>
std::shared_ptr<const FactorPlan> make_repivoted_column_plan(const FactorPlan& earlier, const S* values,
                                                             const PlanOptions& options);

/// Makes the plan that Options::lu_schedule = automatic takes, by supernodes, by columns or on dense storage.
/// docs/lu-columns.md and docs/lu-dense.md have the rules. The plan by columns is given up if it needs more operations than
/// the one by supernodes, or if it does not fit into memory. Arguments as for make_column_plan. Cost: that of all
/// plans that are made.
template <class S>
std::shared_ptr<const FactorPlan> make_cheaper_lu_plan(const PatternView& pattern, const S* values, MatchingRule rule,
                                                       const PlanOptions& options,
                                                       const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
