#pragma once

/// \file
/// Where the caller stored an entry, for reports.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

/// Returns the row and the column of an entry of A's values, as the caller stored it. Cost O(nnz).
inline std::pair<std::int64_t, std::int64_t> place_of_entry(const FactorPlan& plan, std::int64_t entry) {
  const AssemblyMap& map = plan.assembly;
  const auto found = std::find(map.source.begin(), map.source.end(), entry) - map.source.begin();
  const auto i = static_cast<std::size_t>(found);
  const auto& old_of_new = plan.symbolic.permutation.old_of_new;
  if (const auto& general = plan.structure().general)
    return {general->old_row_of_new[map.row[i]].value, old_of_new[map.column[i]].value};
  const auto [smaller, larger] = std::minmax(old_of_new[map.row[i]].value, old_of_new[map.column[i]].value);
  return map.upper ? std::pair(smaller, larger) : std::pair(larger, smaller);
}

}  // namespace gpusupernodal
