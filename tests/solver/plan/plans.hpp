#pragma once

/// \file
/// Plans of test matrices, and a plain search for a row in a panel.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "solver/plan/factor_plan.hpp"
#include "tests/solver/symbolic/graphs.hpp"

namespace gpusupernodal::test {

/// Makes a plan for the host and for a device.
inline std::shared_ptr<const FactorPlan> plan_of(const io::SymmetricMatrix& a, const PlanOptions& options = {},
                                                 const CudaPlanOptions& cuda = {}) {
  return with_cuda(make_plan(pattern_of(a), options), cuda, 1);
}

inline PlanOptions plan_options(Ordering ordering, Merging merging) {
  PlanOptions options;
  options.symbolic.ordering = ordering;
  options.symbolic.merging = merging;
  return options;
}

/// Row of supernode s's panel that holds row `row` of L, by linear search; −1 if there is none.
inline std::int32_t panel_row(const SymbolicFactor& factor, SupernodeId s, NewIndex row) {
  if (row >= factor.first_column[s] && row < factor.first_column[s + 1]) return row - factor.first_column[s];
  const auto rows = factor.rows_of(s);
  const auto found = std::find(rows.begin(), rows.end(), row);
  return found == rows.end() ? -1 : factor.width(s) + static_cast<std::int32_t>(found - rows.begin());
}

}  // namespace gpusupernodal::test
