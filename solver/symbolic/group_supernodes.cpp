#include <algorithm>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

/// The groups as a forest of their own, numbered in the order of their topmost supernodes.
struct MergedForest {
  IdVector<SupernodeId, SupernodeId> merged_of;  ///< Of every supernode before merging.
  IdVector<SupernodeId, SupernodeId> parent;
  IdVector<SupernodeId, std::int32_t> width;
  IdVector<SupernodeId, std::int32_t> rows_below;
  IdVector<SupernodeId, std::int32_t> row_group;  ///< Empty where all are of one.
};

MergedForest collapse(const SupernodeForest& forest, const SupernodeGroups& groups) {
  MergedForest merged;
  merged.merged_of.assign(groups.size(), SupernodeId());
  for (SupernodeId s : forest.ids()) {
    if (groups[s] != s) continue;
    merged.merged_of[s] = SupernodeId(static_cast<std::int64_t>(merged.rows_below.size()));
    // Rows of a merged child that are not columns of the group are rows of its top, so the top's rows are all.
    merged.rows_below.push_back(forest.rows_below[s]);
    if (!forest.group.empty()) merged.row_group.push_back(forest.group[s]);
  }
  merged.parent.assign(merged.rows_below.size(), SupernodeId());
  merged.width.assign(merged.rows_below.size(), 0);
  for (SupernodeId s : forest.ids()) {
    const SupernodeId top = groups[s];
    merged.merged_of[s] = merged.merged_of[top];
    merged.width[merged.merged_of[s]] += forest.width(s);
    if (top == s && forest.parent[s].valid())
      merged.parent[merged.merged_of[s]] = merged.merged_of[groups[forest.parent[s]]];
  }
  return merged;
}

/// Puts the supernodes of each group of rows behind those of the groups before, and leaves their order otherwise. Parents
/// still come after their children, as no row has a parent in an earlier group.
void sort_by_row_group(const IdVector<SupernodeId, std::int32_t>& row_group, IdVector<SupernodeId, SupernodeId>& position) {
  IdVector<SupernodeId, SupernodeId> at(position.size());
  for (SupernodeId s : position.ids()) at[position[s]] = s;
  std::stable_sort(at.begin(), at.end(), [&](SupernodeId a, SupernodeId b) { return row_group[a] < row_group[b]; });
  for (SupernodeId place : at.ids()) position[at[place]] = place;
}

/// Columns of a group keep their order among themselves, which has descendants first.
IdVector<NewIndex, NewIndex> place_columns(const SupernodeForest& before, const MergedForest& merged,
                                           const IdVector<SupernodeId, SupernodeId>& position,
                                           const IdVector<SupernodeId, NewIndex>& first_column) {
  IdVector<SupernodeId, NewIndex> cursor = first_column;
  IdVector<NewIndex, NewIndex> column_position(static_cast<std::size_t>(before.first_column.back().value));
  for (SupernodeId s : before.ids()) {
    NewIndex& next = cursor[position[merged.merged_of[s]]];
    for (NewIndex j : IdRange<NewIndex>(before.first_column[s], before.first_column[s + 1])) {
      column_position[j] = next;
      ++next;
    }
  }
  return column_position;
}

}  // namespace

IdVector<SupernodeId, SupernodeId> adjacent_children(const IdVector<SupernodeId, SupernodeId>& parent,
                                                     const IdVector<SupernodeId, std::int32_t>& rows_below) {
  IdVector<SupernodeId, SupernodeId> adjacent(parent.size());
  for (SupernodeId s : parent.ids()) {
    if (!parent[s].valid()) continue;
    SupernodeId& best = adjacent[parent[s]];
    if (!best.valid() || rows_below[s] >= rows_below[best]) best = s;
  }
  return adjacent;
}

GroupedSupernodes group_supernodes(const SupernodeForest& forest, const SupernodeGroups& groups) {
  const MergedForest merged = collapse(forest, groups);
  auto position = postorder_positions(merged.parent, adjacent_children(merged.parent, merged.rows_below));

  if (!forest.group.empty()) sort_by_row_group(merged.row_group, position);

  GroupedSupernodes result;
  result.forest.parent = relabel_forest(merged.parent, position);
  result.forest.rows_below.assign(merged.parent.size(), 0);
  result.forest.first_column.assign(merged.parent.size() + 1, NewIndex(0));
  for (SupernodeId g : merged.parent.ids()) {
    result.forest.rows_below[position[g]] = merged.rows_below[g];
    result.forest.first_column[position[g] + 1] = NewIndex(merged.width[g]);
  }
  for (SupernodeId s : result.forest.ids()) {
    result.forest.first_column[s + 1] = result.forest.first_column[s + 1] + result.forest.first_column[s].value;
  }
  result.column_position = place_columns(forest, merged, position, result.forest.first_column);
  return result;
}

}  // namespace gpusupernodal
