#include <algorithm>
#include <atomic>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int64_t column_grain = 8192;

/// Calls body(s) for all supernodes on the team's threads.
template <class Body>
void each_supernode(const SupernodeForest& forest, ThreadTeam& team, const Body& body) {
  team.for_intervals(static_cast<std::int64_t>(forest.parent.size()), column_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (SupernodeId s : IdRange<SupernodeId>(SupernodeId(begin), SupernodeId(end))) body(s);
                     });
}

/// Sorts supernodes stably by row group. Parents still come after their children, because no row has a parent in an earlier
/// group.
void sort_by_row_group(const IdVector<SupernodeId, std::int32_t>& row_group, IdVector<SupernodeId, SupernodeId>& position) {
  IdVector<SupernodeId, SupernodeId> at(position.size());
  for (SupernodeId s : position.ids()) at[position[s]] = s;
  std::stable_sort(at.begin(), at.end(), [&](SupernodeId a, SupernodeId b) { return row_group[a] < row_group[b]; });
  for (SupernodeId place : at.ids()) position[at[place]] = place;
}

/// The position of each column. The columns of a merged supernode keep their order, in which descendants come first.
IdVector<NewIndex, NewIndex> place_columns(const SupernodeForest& before, const MergedForest& merged,
                                           const IdVector<SupernodeId, SupernodeId>& position,
                                           const IdVector<SupernodeId, NewIndex>& first_column, ThreadTeam& team) {
  IdVector<SupernodeId, NewIndex> cursor = first_column;
  IdVector<SupernodeId, NewIndex> place(before.parent.size());
  for (SupernodeId s : before.ids()) {
    NewIndex& next = cursor[position[merged.merged_of[s]]];
    place[s] = next;
    next = next + before.width(s);
  }
  IdVector<NewIndex, NewIndex> column_position(static_cast<std::size_t>(before.first_column.back().value));
  each_supernode(before, team, [&](SupernodeId s) {
    const NewIndex first = before.first_column[s];
    for (std::int32_t c = 0; c < before.width(s); ++c) column_position[first + c] = place[s] + c;
  });
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

MergedForest collapse(const SupernodeForest& forest, const SupernodeGroups& groups, ThreadTeam& team) {
  IdVector<SupernodeId, std::int32_t> number(groups.size());
  each_supernode(forest, team, [&](SupernodeId s) { number[s] = groups[s] == s ? 1 : 0; });
  add_up(number.data(), static_cast<std::int64_t>(number.size()), team);
  const auto count = static_cast<std::size_t>(number.empty() ? 0 : number.back());
  const auto number_of = [&](SupernodeId s) { return SupernodeId(std::int64_t{number[groups[s]]} - 1); };

  MergedForest merged;
  merged.merged_of.resize(groups.size());
  merged.forest.parent.resize(count);
  merged.forest.rows_below.resize(count);
  if (!forest.group.empty()) merged.forest.group.resize(count);
  IdVector<SupernodeId, std::int32_t> end(count + 1, 0);  // end[m + 1]: width of m, later the end of m's columns.
  const bool alone = team.threads() == 1;
  each_supernode(forest, team, [&](SupernodeId s) {
    const SupernodeId m = merged.merged_of[s] = number_of(s);
    if (alone) {
      end[m + 1] += forest.width(s);
    } else {  // Several threads may add to the same merged supernode.
      std::atomic_ref(end[m + 1]).fetch_add(forest.width(s), std::memory_order_relaxed);
    }
    if (groups[s] != s) return;
    // The rows of a merged child outside the group's columns are rows of the group's top, so the top's rows are complete.
    merged.forest.rows_below[m] = forest.rows_below[s];
    if (!forest.group.empty()) merged.forest.group[m] = forest.group[s];
    if (forest.parent[s].valid()) merged.forest.parent[m] = number_of(forest.parent[s]);
  });
  add_up(end.data(), static_cast<std::int64_t>(end.size()), team);
  merged.forest.first_column.resize(end.size());
  for (SupernodeId m : end.ids()) merged.forest.first_column[m] = NewIndex(std::int64_t{end[m]});
  return merged;
}

GroupedSupernodes group_supernodes(const SupernodeForest& forest, const MergedForest& merged, ThreadTeam& team) {
  const SupernodeForest& unordered = merged.forest;
  auto position = postorder_positions(unordered.parent, adjacent_children(unordered.parent, unordered.rows_below));
  if (!forest.group.empty()) sort_by_row_group(unordered.group, position);

  GroupedSupernodes result;
  result.forest.parent = relabel_forest(unordered.parent, position);
  result.forest.rows_below.assign(unordered.parent.size(), 0);
  result.forest.first_column.assign(unordered.parent.size() + 1, NewIndex(0));
  for (SupernodeId g : unordered.ids()) {
    result.forest.rows_below[position[g]] = unordered.rows_below[g];
    result.forest.first_column[position[g] + 1] = NewIndex(unordered.width(g));
  }
  for (SupernodeId s : result.forest.ids()) {
    result.forest.first_column[s + 1] = result.forest.first_column[s + 1] + result.forest.first_column[s].value;
  }
  result.column_position = place_columns(forest, merged, position, result.forest.first_column, team);
  return result;
}

GroupedSupernodes group_supernodes(const SupernodeForest& forest, const SupernodeGroups& groups) {
  ThreadTeam one(1);
  return group_supernodes(forest, collapse(forest, groups, one), one);
}

}  // namespace gpusupernodal
