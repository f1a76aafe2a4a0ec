#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

IdVector<NewIndex, std::int32_t> child_counts(const IdVector<NewIndex, NewIndex>& parent) {
  IdVector<NewIndex, std::int32_t> children(parent.size(), 0);
  for (NewIndex p : parent) {
    if (p.valid()) ++children[p];
  }
  return children;
}

}  // namespace

SupernodeForest fundamental_supernodes(const ColumnTree& tree, const RowGroups& groups) {
  const IdVector<NewIndex, std::int32_t> children = child_counts(tree.parent);
  const auto group_of = [&](NewIndex j) { return groups.of(tree.permutation.old_of_new[j]); };
  const auto joins_previous = [&](NewIndex j) {
    return j.value > 0 && tree.parent[j - 1] == j && children[j] == 1 && tree.count[j - 1] == tree.count[j] + 1 &&
           group_of(j - 1) == group_of(j);
  };
  SupernodeForest forest;
  IdVector<NewIndex, SupernodeId> supernode_of(tree.parent.size());
  for (NewIndex j : tree.parent.ids()) {
    if (!joins_previous(j)) {
      forest.first_column.push_back(j);
      if (!groups.none()) forest.group.push_back(group_of(j));
    }
    supernode_of[j] = SupernodeId(static_cast<std::int64_t>(forest.first_column.size()) - 1);
  }
  const std::size_t supernodes = forest.first_column.size();
  forest.first_column.push_back(NewIndex(static_cast<std::int64_t>(tree.parent.size())));
  forest.parent.assign(supernodes, SupernodeId());
  forest.rows_below.assign(supernodes, 0);
  for (SupernodeId s : forest.ids()) {
    const NewIndex last = forest.first_column[s + 1] - 1;
    if (tree.parent[last].valid()) forest.parent[s] = supernode_of[tree.parent[last]];
    forest.rows_below[s] = tree.count[last] - 1;
  }
  return forest;
}

}  // namespace gpusupernodal
