#include "solver/symbolic/row_groups.hpp"

#include <algorithm>
#include <cstddef>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

using Lists = std::span<const std::vector<std::int64_t>>;

/// Throws InvalidInput that names the earlier occurrence of the row at last_rows[g][k].
[[noreturn]] void fail_twice(Lists lists, std::size_t g, std::size_t k) {
  const std::int64_t row = lists[g][k];
  for (std::size_t earlier = 0;; ++earlier) {
    const auto found = std::find(lists[earlier].begin(), lists[earlier].end(), row);
    if (found == lists[earlier].end()) continue;
    fail<InvalidInput>("last_rows[{}][{}] and last_rows[{}][{}] are both {}; every row may occur only once", earlier,
                       found - lists[earlier].begin(), g, k, row);
  }
}

}  // namespace

RowGroups::RowGroups(std::int32_t order, Lists last_rows) {
  if (std::ranges::all_of(last_rows, [](const auto& list) { return list.empty(); })) return;
  group_.assign(static_cast<std::size_t>(order), 0);
  size_.push_back(order);
  for (std::size_t g = 0; g < last_rows.size(); ++g) {
    if (last_rows[g].empty()) continue;
    const std::int32_t group = count();
    size_.push_back(static_cast<std::int32_t>(last_rows[g].size()));
    for (std::size_t k = 0; k < last_rows[g].size(); ++k) {
      const std::int64_t row = last_rows[g][k];
      if (row < 0 || row >= order)
        fail<InvalidInput>("last_rows[{}][{}] is {}, but the rows of the matrix are 0 to {}", g, k, row, order - 1);
      if (group_[OldIndex(row)] != 0) fail_twice(last_rows, g, k);
      group_[OldIndex(row)] = group;
    }
    size_.front() -= size_.back();
  }
}

std::vector<OldIndex> RowGroups::by_group() const {
  std::vector<std::size_t> next(size_.size(), 0);
  for (std::size_t g = 1; g < next.size(); ++g) next[g] = next[g - 1] + static_cast<std::size_t>(size_[g - 1]);
  std::vector<OldIndex> rows(group_.size());
  for (const OldIndex row : group_.ids()) rows[next[static_cast<std::size_t>(group_[row])]++] = row;
  return rows;
}

NewIndex RowGroups::first_misplaced(const IdVector<NewIndex, OldIndex>& old_of_new) const {
  if (none()) return {};
  for (NewIndex k(1); k.value < static_cast<std::int32_t>(old_of_new.size()); ++k) {
    if (of(old_of_new[k]) < of(old_of_new[k - 1])) return k;
  }
  return {};
}

}  // namespace gpusupernodal
