#include "solver/host/plan/part_entries.hpp"

#include <algorithm>
#include <numeric>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Row of a supernode's panel that holds `row`; −1 if there is none.
std::int32_t panel_row(const SymbolicFactor& factor, SupernodeId s, NewIndex row) {
  if (row < factor.first_column[s + 1]) return row - factor.first_column[s];
  const auto rows = factor.rows_of(s);
  const auto found = std::lower_bound(rows.begin(), rows.end(), row);
  if (found == rows.end() || *found != row) return -1;
  return factor.width(s) + static_cast<std::int32_t>(found - rows.begin());
}

class EntryPlacer {
 public:
  EntryPlacer(const PartPlan& plan, std::span<const std::int64_t> rows, std::span<const std::int64_t> columns, bool upper)
      : plan_(plan), rows_(rows), columns_(columns), upper_(upper) {
    entries_.subtrees.entries_of_a = static_cast<std::int64_t>(rows.size());
    entries_.subtrees.upper = upper;
  }

  PartEntries place() {
    for (std::size_t k = 0; k < rows_.size(); ++k) place(k);
    make_map();
    std::sort(entries_.top.begin(), entries_.top.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
    for (std::size_t i = 1; i < entries_.top.size(); ++i) {
      if (entries_.top[i].target == entries_.top[i - 1].target) fail_twice(static_cast<std::size_t>(entries_.top[i].source));
    }
    return std::move(entries_);
  }

 private:
  struct InSubtree {
    std::int64_t source;
    std::int64_t target;
    NewIndex row;
    NewIndex column;
  };

  void place(std::size_t k) {
    const std::int64_t n = plan_.whole->order();
    if (rows_[k] < 0 || rows_[k] >= n || columns_[k] < 0 || columns_[k] >= n) {
      fail<InvalidInput>("entry {} of this part is in row {}, column {}, but the matrix has order {}", k, rows_[k],
                         columns_[k], n);
    }
    const auto& new_of_old = plan_.whole->permutation.new_of_old;
    const NewIndex a = new_of_old[OldIndex(rows_[k])];
    const NewIndex b = new_of_old[OldIndex(columns_[k])];
    const NewIndex row = std::max(a, b);
    const NewIndex column = std::min(a, b);
    const SupernodeId s = plan_.whole->supernode_of[column];
    if (plan_.map.in_top(s)) return place_in_top(k, row, column);
    if (plan_.map.part_of[s] != plan_.part) fail_elsewhere(k);
    const SymbolicFactor& own = plan_.subtrees->structure->symbolic;
    const NewIndex local_row = plan_.local[row];
    const NewIndex local_column = plan_.local[column];
    const SupernodeId local = own.supernode_of[local_column];
    const std::int32_t i = local_row.valid() ? panel_row(own, local, local_row) : -1;
    if (i < 0) fail_outside(k);
    const std::int32_t j = local_column - own.first_column[local];
    in_subtrees_.push_back(
        {static_cast<std::int64_t>(k), plan_.subtrees->structure->panels.index(local, i, j), local_row, local_column});
  }

  void place_in_top(std::size_t k, NewIndex row, NewIndex column) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(plan_.block_of(plan_.top.index[column]))];
    if (block.owner != plan_.part) fail_elsewhere(k);
    const std::int32_t i = panel_row(plan_.top.symbolic, block.supernode, NewIndex(plan_.top.index[row].value));
    if (i < 0) fail_outside(k);
    const std::int32_t j = plan_.top.index[column] - block.begin;
    const auto& old_of_new = plan_.whole->permutation.old_of_new;
    const bool stored_here = in_stored_half(upper_, old_of_new[row], old_of_new[column]);
    entries_.top.push_back({static_cast<std::int64_t>(k), block.offset + (i - block.first) + j * std::int64_t{block.rows()},
                            row, column, !stored_here});
  }

  /// Sorts the entries by their targets, which ascend with their supernodes.
  void make_map() {
    std::sort(in_subtrees_.begin(), in_subtrees_.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
    AssemblyMap& map = entries_.subtrees;
    const SymbolicFactor& own = plan_.subtrees->structure->symbolic;
    map.offset.assign(static_cast<std::size_t>(own.supernodes()) + 1, 0);
    for (std::size_t i = 0; i < in_subtrees_.size(); ++i) {
      const InSubtree& entry = in_subtrees_[i];
      if (i > 0 && entry.target == in_subtrees_[i - 1].target) fail_twice(static_cast<std::size_t>(entry.source));
      map.source.push_back(entry.source);
      map.target.push_back(entry.target);
      map.row.push_back(entry.row);
      map.column.push_back(entry.column);
      ++map.offset[own.supernode_of[entry.column] + 1];
    }
    for (SupernodeId s : own.supernode_ids()) map.offset[s + 1] += map.offset[s];
  }

  [[noreturn]] void fail_elsewhere(std::size_t k) const {
    fail<InvalidInput>("the entry in row {}, column {} does not belong to part {}", rows_[k], columns_[k], plan_.part.value);
  }
  [[noreturn]] void fail_outside(std::size_t k) const {
    fail<InvalidInput>("the entry in row {}, column {} is not in the pattern that was analyzed", rows_[k], columns_[k]);
  }
  [[noreturn]] void fail_twice(std::size_t k) const {
    fail<InvalidInput>("the entry in row {}, column {} occurs twice", rows_[k], columns_[k]);
  }

  const PartPlan& plan_;
  std::span<const std::int64_t> rows_;
  std::span<const std::int64_t> columns_;
  bool upper_;
  std::vector<InSubtree> in_subtrees_;
  PartEntries entries_;
};

}  // namespace

PartEntries place_entries(const PartPlan& plan, std::span<const std::int64_t> rows, std::span<const std::int64_t> columns,
                          bool upper) {
  return EntryPlacer(plan, rows, columns, upper).place();
}

void require_half(std::span<const std::int64_t> rows, std::span<const std::int64_t> columns, bool upper) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (upper ? rows[k] <= columns[k] : rows[k] >= columns[k]) continue;
    fail<InvalidInput>(
        "the entry in row {}, column {} is not in the {} half of A, from which all entries are said to be; name another "
        "half, or give entry ({}, {}), which is its conjugate",
        rows[k], columns[k], upper ? "upper" : "lower", columns[k], rows[k]);
  }
}

}  // namespace gpusupernodal
