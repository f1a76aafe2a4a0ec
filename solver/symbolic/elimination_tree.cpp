#include "solver/symbolic/elimination_tree.hpp"

#include <utility>

#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {

IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation) {
  IdVector<NewIndex, NewIndex> parent(permutation.old_of_new.size());
  IdVector<NewIndex, NewIndex> ancestor(permutation.old_of_new.size());
  for (NewIndex row : permutation.old_of_new.ids()) {
    for (OldIndex neighbour : graph.of(permutation.old_of_new[row])) {
      NewIndex node = permutation.new_of_old[neighbour];
      while (node < row && node.valid()) {
        const NewIndex next = std::exchange(ancestor[node], row);
        if (!next.valid()) parent[node] = row;
        node = next;
      }
    }
  }
  return parent;
}

Permutation move_columns(const Permutation& permutation, const IdVector<NewIndex, NewIndex>& position) {
  IdVector<NewIndex, OldIndex> old_of_new(permutation.old_of_new.size());
  for (NewIndex k : permutation.old_of_new.ids()) old_of_new[position[k]] = permutation.old_of_new[k];
  return permutation_from(std::move(old_of_new));
}

std::int64_t ColumnTree::nonzeros() const {
  std::int64_t sum = 0;
  for (std::int32_t c : count) sum += c;
  return sum;
}

double ColumnTree::flops() const {
  double sum = 0.0;
  for (std::int32_t c : count) sum += static_cast<double>(c) * static_cast<double>(c);
  return sum;
}

ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation) {
  ColumnTree tree;
  const IdVector<NewIndex, NewIndex> parent = elimination_tree(graph, permutation);
  const IdVector<NewIndex, NewIndex> position = postorder_positions(parent);
  tree.permutation = move_columns(permutation, position);
  tree.parent = relabel_forest(parent, position);
  tree.count = column_counts(graph, tree.permutation, tree.parent);
  return tree;
}

}  // namespace gpusupernodal
