#include "solver/factor/general_structure.hpp"

#include <algorithm>
#include <utility>

namespace gpusupernodal {
namespace {

/// Calls visit(index of the value, row, column) for each entry of P B Pᵀ.
template <class Visit>
void for_each_entry(const GeneralStructure& general, const SymbolicFactor& factor, const Visit& visit) {
  const ColumnEntries& entries = general.entries;
  IdVector<OldIndex, NewIndex> new_of_old_row(static_cast<std::size_t>(entries.n));
  for (NewIndex k : IdRange<NewIndex>(entries.n)) new_of_old_row[general.old_row_of_new[k]] = k;
  for (OldIndex j : IdRange<OldIndex>(entries.n)) {
    const NewIndex column = factor.permutation.new_of_old[j];
    const auto begin = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j.value)]);
    const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j.value) + 1]);
    for (std::size_t e = begin; e < end; ++e) visit(entries.entry[e], new_of_old_row[OldIndex(entries.rows[e])], column);
  }
}

/// Position of each row of L in the panel of one supernode.
class PanelRows {
 public:
  explicit PanelRows(const SymbolicFactor& factor) : factor_(factor), row_(static_cast<std::size_t>(factor.order())) {}

  void enter(SupernodeId s) {
    const NewIndex first = factor_.first_column[s];
    for (std::int32_t c = 0; c < factor_.width(s); ++c) row_[first + c] = c;
    std::int32_t position = factor_.width(s);
    for (NewIndex row : factor_.rows_of(s)) row_[row] = position++;
  }
  std::int32_t of(NewIndex row) const { return row_[row]; }

 private:
  const SymbolicFactor& factor_;
  RawIdVector<NewIndex, std::int32_t> row_;
};

void set_targets(const SymbolicFactor& factor, const PanelLayout& layout, AssemblyMap& map) {
  PanelRows rows(factor);
  for (SupernodeId s : factor.supernode_ids()) {
    rows.enter(s);
    for (auto i = static_cast<std::size_t>(map.offset[s]); i < static_cast<std::size_t>(map.offset[s + 1]); ++i) {
      const auto [column, row] = std::minmax(map.row[i], map.column[i]);
      const bool upper = map.row[i] <= map.column[i];
      map.target[i] = layout.index(s, rows.of(row), column - factor.first_column[s]) + (upper ? layout.values() : 0);
    }
  }
}

}  // namespace

AssemblyMap build_general_assembly_map(const GeneralStructure& general, const SymbolicFactor& factor,
                                       const PanelLayout& layout) {
  AssemblyMap map;
  const auto count = general.entries.rows.size();
  map.entries_of_a = static_cast<std::int64_t>(count);
  map.offset.assign(static_cast<std::size_t>(factor.supernodes()) + 1, 0);
  const auto supernode_of = [&](NewIndex row, NewIndex column) { return factor.supernode_of[std::min(row, column)]; };
  for_each_entry(general, factor,
                 [&](std::int64_t, NewIndex row, NewIndex column) { ++map.offset[supernode_of(row, column) + 1]; });
  for (SupernodeId s : factor.supernode_ids()) map.offset[s + 1] += map.offset[s];
  map.source.resize(count);
  map.target.resize(count);
  map.row.resize(count);
  map.column.resize(count);
  IdVector<SupernodeId, std::int64_t> next = map.offset;
  for_each_entry(general, factor, [&](std::int64_t value, NewIndex row, NewIndex column) {
    const auto slot = static_cast<std::size_t>(next[supernode_of(row, column)]++);
    map.source[slot] = value;
    map.row[slot] = row;
    map.column[slot] = column;
  });
  set_targets(factor, layout, map);
  return map;
}

}  // namespace gpusupernodal
