#include "solver/host/plan/solve_schedule.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

NewIndex end_of_subtree(const SymbolicFactor& factor, const LeafSubtree& subtree) {
  return factor.first_column[subtree.last + 1];
}

/// Lists the rows outside each subtree or chain, and for each of its supernodes the positions of its outside rows in
/// that list.
void list_subtree_boundaries(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve) {
  const auto supernodes = static_cast<std::size_t>(factor.supernodes());
  solve.rows_inside.assign(supernodes, 0);
  solve.outside_offset.assign(supernodes + 1, 0);
  solve.subtree_boundary.assign(schedule.subtrees.size() + 1, 0);
  std::vector<NewIndex> rows;
  IdVector<NewIndex, std::int32_t> position;
  for (SubtreeId t : schedule.subtrees.ids()) {
    const LeafSubtree& subtree = schedule.subtrees[t];
    const NewIndex end = end_of_subtree(factor, subtree);
    rows.clear();
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      const auto all = factor.rows_of(s);
      const bool none_outside = all.empty() || all.back() < end;
      const auto outside = none_outside ? all.end() : std::lower_bound(all.begin(), all.end(), end);
      solve.largest_rows_in_subtrees = std::max<std::int64_t>(solve.largest_rows_in_subtrees, factor.rows_below(s));
      solve.rows_inside[s] = static_cast<std::int32_t>(outside - all.begin());
      const SupernodeId parent = factor.parent[s];
      // Only roots add rows: the outside rows of other supernodes are among their parents' rows.
      if (!parent.valid() || subtree.last < parent) rows.insert(rows.end(), outside, all.end());
    }
    solve.subtree_boundary[t + 1] = static_cast<std::int64_t>(solve.subtree_rows.size());
    if (rows.empty()) continue;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (position.empty()) position.resize(static_cast<std::size_t>(factor.order()));
    std::int32_t next = 0;
    for (NewIndex row : rows) position[row] = next++;
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      for (NewIndex row : factor.rows_of(s).subspan(static_cast<std::size_t>(solve.rows_inside[s]))) {
        solve.outside_position.push_back(position[row]);
      }
      solve.outside_offset[s + 1] = static_cast<std::int64_t>(solve.outside_position.size());
    }
    solve.subtree_rows.insert(solve.subtree_rows.end(), rows.begin(), rows.end());
    solve.subtree_boundary[t + 1] = static_cast<std::int64_t>(solve.subtree_rows.size());
  }
  for (SupernodeId s : factor.supernode_ids()) {
    solve.outside_offset[s + 1] = std::max(solve.outside_offset[s + 1], solve.outside_offset[s]);
  }
}

void place_supernode_boundaries(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve) {
  solve.supernode_boundary.assign(static_cast<std::size_t>(factor.supernodes()), -1);
  solve.boundary_entries = solve.subtree_boundary.back();
  for (SupernodeId s : factor.supernode_ids()) {
    if (schedule.in_subtree(s)) continue;
    solve.supernode_boundary[s] = solve.boundary_entries;
    solve.boundary_entries += factor.rows_below(s);
  }
}

/// Calls visit(K, gather) for each run of `rows` that lies in the columns of a single supernode K.
template <class Visit>
void split_by_target(const SymbolicFactor& factor, std::span<const NewIndex> rows, SolveSchedule::Gather gather,
                     Visit visit) {
  for (std::size_t begin = 0; begin < rows.size();) {
    const SupernodeId k = factor.supernode_of[rows[begin]];
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end] < factor.first_column[k + 1]) ++end;
    gather.rows = rows.data() + begin;
    gather.count = static_cast<std::int32_t>(end - begin);
    visit(k, gather);
    gather.boundary += gather.count;
    begin = end;
  }
}

template <class Visit>
void for_each_gather(const SymbolicFactor& factor, const Schedule& schedule, const SolveSchedule& solve, Visit visit) {
  for (SubtreeId t : schedule.subtrees.ids()) {
    const std::int64_t begin = solve.subtree_boundary[t];
    const auto count = static_cast<std::size_t>(solve.subtree_boundary[t + 1] - begin);
    split_by_target(factor, {solve.subtree_rows.data() + begin, count}, {begin, nullptr, 0, t, SupernodeId()}, visit);
  }
  for (SupernodeId s : factor.supernode_ids()) {
    if (schedule.in_subtree(s)) continue;
    split_by_target(factor, factor.rows_of(s), {solve.supernode_boundary[s], nullptr, 0, SubtreeId(), s}, visit);
  }
}

void list_gathers(const SymbolicFactor& factor, const Schedule& schedule, SolveSchedule& solve) {
  solve.gather_offset.assign(static_cast<std::size_t>(factor.supernodes()) + 1, 0);
  if (schedule.subtrees_alone()) return;
  for_each_gather(factor, schedule, solve,
                  [&](SupernodeId k, const SolveSchedule::Gather&) { ++solve.gather_offset[k + 1]; });
  for (SupernodeId k : factor.supernode_ids()) solve.gather_offset[k + 1] += solve.gather_offset[k];
  solve.gathers.resize(static_cast<std::size_t>(solve.gather_offset.back()));
  auto next = solve.gather_offset;
  for_each_gather(factor, schedule, solve, [&](SupernodeId k, const SolveSchedule::Gather& gather) {
    solve.gathers[static_cast<std::size_t>(next[k]++)] = gather;
  });
}

}  // namespace

SolveSchedule build_solve_schedule(const SymbolicFactor& factor, const Schedule& schedule) {
  SolveSchedule solve;
  list_subtree_boundaries(factor, schedule, solve);
  place_supernode_boundaries(factor, schedule, solve);
  list_gathers(factor, schedule, solve);
  build_solve_graphs(factor, schedule, solve);
  return solve;
}

}  // namespace gpusupernodal
