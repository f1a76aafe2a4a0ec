#include "solver/plan/assembly_map.hpp"

#include <algorithm>
#include <utility>

namespace gpusupernodal {
namespace {

/// Calls visit(entry, row, column) with the caller's numbers for every entry of the half that is read.
template <class Visit>
void for_each_read_entry(const PatternView& pattern, Visit visit) {
  const bool columns = pattern.compression == Compression::columns;
  for (std::int64_t outer = 0; outer < pattern.n; ++outer) {
    for (std::int64_t e = pattern.offsets[outer]; e < pattern.offsets[outer + 1]; ++e) {
      const std::int64_t inner = pattern.indices[e];
      const std::int64_t row = columns ? inner : outer;
      const std::int64_t column = columns ? outer : inner;
      if (pattern.part == StoredPart::full && row < column) continue;
      visit(e, OldIndex(row), OldIndex(column));
    }
  }
}

/// Row and column of L of an entry of A: the later eliminated one is the row.
std::pair<NewIndex, NewIndex> position_in_l(const Permutation& permutation, OldIndex i, OldIndex j) {
  const NewIndex a = permutation.new_of_old[i];
  const NewIndex b = permutation.new_of_old[j];
  return {std::max(a, b), std::min(a, b)};
}

/// Entries grouped by supernode, in the caller's order within each; targets are not set yet.
AssemblyMap group_by_supernode(const PatternView& pattern, const SymbolicFactor& factor) {
  AssemblyMap map;
  map.entries_of_a = pattern.entries();
  map.upper = pattern.part == StoredPart::upper;
  map.offset.assign(static_cast<std::size_t>(factor.supernodes()) + 1, 0);
  for_each_read_entry(pattern, [&](std::int64_t, OldIndex i, OldIndex j) {
    ++map.offset[factor.supernode_of[position_in_l(factor.permutation, i, j).second] + 1];
  });
  for (SupernodeId s : factor.supernode_ids()) map.offset[s + 1] += map.offset[s];

  const auto entries = static_cast<std::size_t>(map.offset.back());
  map.source.resize(entries);
  map.target.resize(entries);
  map.row.resize(entries);
  map.column.resize(entries);
  auto next = map.offset;
  for_each_read_entry(pattern, [&](std::int64_t e, OldIndex i, OldIndex j) {
    const auto [row, column] = position_in_l(factor.permutation, i, j);
    const auto slot = static_cast<std::size_t>(next[factor.supernode_of[column]]++);
    map.source[slot] = e;
    map.row[slot] = row;
    map.column[slot] = column;
  });
  return map;
}

}  // namespace

AssemblyMap build_assembly_map(const PatternView& pattern, const SymbolicFactor& factor, const PanelLayout& layout) {
  AssemblyMap map = group_by_supernode(pattern, factor);
  IdVector<NewIndex, std::int32_t> panel_row(static_cast<std::size_t>(factor.order()));
  for (SupernodeId s : factor.supernode_ids()) {
    const NewIndex first = factor.first_column[s];
    for (std::int32_t c = 0; c < factor.width(s); ++c) panel_row[first + c] = c;
    std::int32_t position = factor.width(s);
    for (NewIndex row : factor.rows_of(s)) panel_row[row] = position++;
    for (std::int64_t e = map.offset[s]; e < map.offset[s + 1]; ++e) {
      const auto i = static_cast<std::size_t>(e);
      map.target[i] =
          layout.value_offset[s] + static_cast<std::int64_t>(map.column[i] - first) * layout.ld[s] + panel_row[map.row[i]];
    }
  }
  return map;
}

}  // namespace gpusupernodal
