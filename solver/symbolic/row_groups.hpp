#pragma once

/// \file
/// Groups of rows that are eliminated after all other rows, as Schur complements require.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// Options::last_rows after validation. Group 0 holds the rows that no list names, group g those of the g-th non-empty list.
class RowGroups {
 public:
  /// All rows in group 0.
  RowGroups() = default;

  /// Throws InvalidInput with the positions if a row is out of range or occurs twice. Cost O(order) if any row is named.
  RowGroups(std::int32_t order, std::span<const std::vector<std::int64_t>> last_rows);

  /// Whether the lists name no row, so that every order is permitted.
  bool none() const { return group_.empty(); }
  std::int32_t count() const { return static_cast<std::int32_t>(size_.size()); }
  std::int32_t of(OldIndex row) const { return none() ? 0 : group_[row]; }
  /// Number of rows of group g.
  std::int32_t size(std::int32_t g) const { return size_[static_cast<std::size_t>(g)]; }

  /// All rows, group by group, ascending within each group.
  std::vector<OldIndex> by_group() const;
  /// The first position whose row is of a lower group than the row before it; invalid if no row is misplaced.
  NewIndex first_misplaced(const IdVector<NewIndex, OldIndex>& old_of_new) const;

 private:
  IdVector<OldIndex, std::int32_t> group_;
  std::vector<std::int32_t> size_;
};

}  // namespace gpusupernodal
