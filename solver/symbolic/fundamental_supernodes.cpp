#include <atomic>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

/// Calls body(id) for the ids 0 … count−1 on the team's threads.
template <class IdType, class Body>
void each(std::size_t count, ThreadTeam& team, const Body& body) {
  team.for_intervals(static_cast<std::int64_t>(count), 16384, [&](std::int64_t begin, std::int64_t end) {
    for (IdType id : IdRange<IdType>(IdType(begin), IdType(end))) body(id);
  });
}

/// 1 for each column that is the parent of a column other than the preceding one.
IdVector<NewIndex, std::uint8_t> have_further_children(const IdVector<NewIndex, NewIndex>& parent, ThreadTeam& team) {
  IdVector<NewIndex, std::uint8_t> further(parent.size(), 0);
  each<NewIndex>(parent.size(), team, [&](NewIndex j) {
    if (parent[j].valid() && parent[j] - j > 1) std::atomic_ref(further[parent[j]]).store(1, std::memory_order_relaxed);
  });
  return further;
}

/// The number of each column's supernode, counting from 1.
IdVector<NewIndex, std::int32_t> number_supernodes(const ColumnTree& tree, const RowGroups& groups, ThreadTeam& team) {
  const IdVector<NewIndex, std::uint8_t> further = have_further_children(tree.parent, team);
  const auto group_of = [&](NewIndex j) { return groups.of(tree.permutation.old_of_new[j]); };
  const auto joins_previous = [&](NewIndex j) {
    return j.value > 0 && tree.parent[j - 1] == j && further[j] == 0 && tree.count[j - 1] == tree.count[j] + 1 &&
           (groups.none() || group_of(j - 1) == group_of(j));
  };
  IdVector<NewIndex, std::int32_t> number(tree.parent.size());
  each<NewIndex>(number.size(), team, [&](NewIndex j) { number[j] = joins_previous(j) ? 0 : 1; });
  add_up(number.data(), static_cast<std::int64_t>(number.size()), team);
  return number;
}

}  // namespace

SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups, ThreadTeam& team) {
  const IdVector<NewIndex, std::int32_t> number = number_supernodes(tree, groups, team);
  const auto supernode_of = [&](NewIndex j) { return SupernodeId(std::int64_t{number[j]} - 1); };
  const auto supernodes = static_cast<std::size_t>(number.empty() ? 0 : number.back());
  SupernodeForest forest;
  forest.first_column.resize(supernodes + 1);
  forest.first_column.back() = NewIndex(static_cast<std::int64_t>(number.size()));
  if (!groups.none()) forest.group.resize(supernodes);
  each<NewIndex>(number.size(), team, [&](NewIndex j) {
    if (j.value > 0 && number[j] == number[j - 1]) return;
    forest.first_column[supernode_of(j)] = j;
    if (!groups.none()) forest.group[supernode_of(j)] = groups.of(tree.permutation.old_of_new[j]);
  });
  forest.parent.resize(supernodes);
  forest.rows_below.resize(supernodes);
  each<SupernodeId>(supernodes, team, [&](SupernodeId s) {
    const NewIndex last = forest.first_column[s + 1] - 1;
    if (tree.parent[last].valid()) forest.parent[s] = supernode_of(tree.parent[last]);
    forest.rows_below[s] = tree.count[last] - 1;
  });
  return forest;
}

SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups) {
  ThreadTeam one(1);
  return fundamental_supernodes(tree, groups, one);
}

}  // namespace gpusupernodal
