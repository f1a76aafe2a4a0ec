#include "solver/symbolic/restore_factor.hpp"

#include <utility>

#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/row_structure.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {
namespace {

bool is_permutation_of(std::int32_t order, const EliminationOrder& old_of_new) {
  if (old_of_new.size() != static_cast<std::size_t>(order)) return false;
  IdVector<OldIndex, std::uint8_t> seen(old_of_new.size(), 0);
  for (const OldIndex i : old_of_new) {
    if (i.value < 0 || i.value >= order || seen[i] != 0) return false;
    seen[i] = 1;
  }
  return true;
}

/// Whether the supernodes are non-empty intervals that partition columns 0 … n−1 in order.
bool is_partition_of(std::int32_t order, const IdVector<SupernodeId, NewIndex>& first_column) {
  if (first_column.empty() || first_column[SupernodeId(0)] != NewIndex(0) || first_column.back() != NewIndex(order))
    return false;
  for (SupernodeId s(0); s.value + 1 < static_cast<std::int32_t>(first_column.size()); ++s) {
    if (first_column[s] >= first_column[s + 1]) return false;
  }
  return true;
}

/// Finds the parents and numbers of rows of supernodes.
class ForestBuilder {
 public:
  ForestBuilder(const Permutation& permutation, const ColumnTree& tree) : permutation_(permutation), tree_(tree) {}

  /// Returns false if the parent of a column other than its supernode's last one lies outside of the supernode.
  bool build(SupernodeForest& forest, const IdVector<NewIndex, SupernodeId>& supernode_of) const {
    const std::size_t supernodes = forest.first_column.size() - 1;
    forest.parent.assign(supernodes, SupernodeId());
    forest.rows_below.assign(supernodes, 0);
    for (SupernodeId s : forest.ids()) {
      const NewIndex last = forest.first_column[s + 1] - 1;
      for (NewIndex j : IdRange<NewIndex>(forest.first_column[s], last)) {
        const NewIndex parent = parent_of(j);
        if (!parent.valid() || parent > last) return false;
      }
      const NewIndex parent = parent_of(last);
      if (parent.valid()) forest.parent[s] = supernode_of[parent];
      forest.rows_below[s] = tree_.count[in_tree(last)] - 1;
    }
    return true;
  }

 private:
  /// Column j in the tree, which is postordered: that renumbers the columns but keeps parents and counts [Liu90].
  NewIndex in_tree(NewIndex j) const { return tree_.permutation.new_of_old[permutation_.old_of_new[j]]; }
  NewIndex parent_of(NewIndex j) const {
    const NewIndex parent = tree_.parent[in_tree(j)];
    return parent.valid() ? permutation_.new_of_old[tree_.permutation.old_of_new[parent]] : NewIndex();
  }

  const Permutation& permutation_;
  const ColumnTree& tree_;
};

IdVector<NewIndex, SupernodeId> supernodes_of_columns(std::int32_t order, const SupernodeForest& forest) {
  IdVector<NewIndex, SupernodeId> result(static_cast<std::size_t>(order));
  for (SupernodeId s(0); s.value + 1 < static_cast<std::int32_t>(forest.first_column.size()); ++s) {
    for (NewIndex j : IdRange<NewIndex>(forest.first_column[s], forest.first_column[s + 1])) result[j] = s;
  }
  return result;
}

}  // namespace

std::optional<SymbolicFactor> restore_factor(const AdjacencyGraph& graph, OrderAndSupernodes stored, ThreadTeam& team) {
  if (!is_permutation_of(graph.order, stored.old_of_new) || !is_partition_of(graph.order, stored.first_column))
    return std::nullopt;
  SymbolicFactor factor;
  factor.permutation = permutation_from(std::move(stored.old_of_new));
  const ColumnTree tree = build_column_tree(graph, factor.permutation, team);
  SupernodeForest forest;
  forest.first_column = std::move(stored.first_column);
  factor.supernode_of = supernodes_of_columns(graph.order, forest);
  if (!ForestBuilder(factor.permutation, tree).build(forest, factor.supernode_of)) return std::nullopt;
  RowStructure structure = list_rows(graph, factor.permutation, forest, team);
  factor.first_column = std::move(forest.first_column);
  factor.parent = std::move(forest.parent);
  factor.subtree_first = subtree_firsts(factor.parent);
  factor.row_offset = std::move(structure.offset);
  factor.rows = std::move(structure.rows);
  factor.nonzeros = tree.nonzeros();
  factor.flops = tree.flops();
  return factor;
}

}  // namespace gpusupernodal
