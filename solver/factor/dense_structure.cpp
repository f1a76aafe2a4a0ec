#include "solver/factor/dense_structure.hpp"

#include "solver/factor/dense_panel_columns.hpp"

namespace gpusupernodal {
namespace {

/// Columns begin in aligned places, and not at multiples of a page, which would compete for the same places in the cache.
std::int64_t leading_dimension(std::int64_t n) {
  constexpr std::int64_t aligned = 8;
  constexpr std::int64_t competing = 128;
  const std::int64_t ld = (n + aligned - 1) / aligned * aligned;
  return ld % competing == 0 ? ld + aligned : ld;
}

}  // namespace

DenseStructure::DenseStructure(std::int32_t order)
    : n(order), panel(std::min(order, dense_panel_columns)), ld(leading_dimension(order)) {}

AssemblyMap build_dense_assembly_map(const GeneralStructure& general, const Permutation& columns,
                                     const DenseStructure& structure) {
  const ColumnEntries& entries = general.entries;
  const std::size_t count = entries.rows.size();
  AssemblyMap map;
  map.entries_of_a = static_cast<std::int64_t>(count);
  map.offset.push_back(0);
  map.source.reserve(count);
  map.target.reserve(count);
  map.row.reserve(count);
  map.column.reserve(count);
  IdVector<OldIndex, NewIndex> new_of_old_row(static_cast<std::size_t>(entries.n));
  for (NewIndex k : IdRange<NewIndex>(entries.n)) new_of_old_row[general.old_row_of_new[k]] = k;
  for (OldIndex j : IdRange<OldIndex>(entries.n)) {
    const NewIndex column = columns.new_of_old[j];
    const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j.value) + 1]);
    for (auto e = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j.value)]); e < end; ++e) {
      const NewIndex row = new_of_old_row[OldIndex(entries.rows[e])];
      map.source.push_back(entries.entry[e]);
      map.target.push_back(structure.index(row.value, column.value));
      map.row.push_back(row);
      map.column.push_back(column);
    }
  }
  return map;
}

}  // namespace gpusupernodal
