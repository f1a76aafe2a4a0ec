#pragma once

/// \file
/// Groups of rows that are eliminated after all others, as users of Schur complements need.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// Options::last_rows, checked: group 0 has the rows that are in no list, group g those of the g-th list that has any.
class RowGroups {
 public:
  /// All rows in group 0.
  RowGroups() = default;

  /// Throws InvalidInput with the places for a row that is out of range or given twice. Cost O(order), or none where no row
  /// is named.
  RowGroups(std::int32_t order, std::span<const std::vector<std::int64_t>> last_rows);

  /// No row is named: any order will do.
  bool none() const { return group_.empty(); }
  std::int32_t count() const { return static_cast<std::int32_t>(size_.size()); }
  std::int32_t of(OldIndex row) const { return none() ? 0 : group_[row]; }
  /// Rows of group g.
  std::int32_t size(std::int32_t g) const { return size_[static_cast<std::size_t>(g)]; }

  /// The rows of each group, ascending, one group behind the other.
  std::vector<OldIndex> by_group() const;
  /// The first position whose row belongs before the one at the position before; invalid where the order has all groups one
  /// after the other.
  NewIndex first_misplaced(const IdVector<NewIndex, OldIndex>& old_of_new) const;

 private:
  IdVector<OldIndex, std::int32_t> group_;
  std::vector<std::int32_t> size_;
};

}  // namespace gpusupernodal
