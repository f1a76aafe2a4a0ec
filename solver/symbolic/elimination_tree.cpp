#include "solver/symbolic/elimination_tree.hpp"

#include <algorithm>
#include <utility>

#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {

namespace {

/// Whether two neighbours have the same other neighbours; rows that are no neighbours differ.
bool same_neighbours(const AdjacencyGraph& graph, OldIndex a, OldIndex b) {
  const auto of_a = graph.of(a);
  const auto of_b = graph.of(b);
  if (of_a.size() != of_b.size()) return false;
  auto i = of_a.begin();
  auto j = of_b.begin();
  for (;; ++i, ++j) {
    if (i != of_a.end() && *i == b) ++i;
    if (j != of_b.end() && *j == a) ++j;
    if (i == of_a.end() || j == of_b.end()) break;
    if (*i != *j) return false;
  }
  return i == of_a.end() && j == of_b.end() && std::binary_search(of_a.begin(), of_a.end(), b);
}

}  // namespace

Repetitions find_repetitions(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team) {
  Repetitions result(permutation.old_of_new.size(), 0);
  team.for_intervals(permutation.order(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex k : IdRange<NewIndex>(NewIndex(std::max<std::int64_t>(begin, 1)), NewIndex(end))) {
      result[k] = same_neighbours(graph, permutation.old_of_new[k - 1], permutation.old_of_new[k]) ? 1 : 0;
    }
  });
  return result;
}

IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation,
                                              const Repetitions& repetitions) {
  IdVector<NewIndex, NewIndex> parent(permutation.old_of_new.size());
  IdVector<NewIndex, NewIndex> ancestor(permutation.old_of_new.size());
  for (NewIndex row : permutation.old_of_new.ids()) {
    if (repetitions[row] != 0) {
      // What lies below it was joined under the row before.
      parent[row - 1] = ancestor[row - 1] = row;
      continue;
    }
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

ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team) {
  ColumnTree tree;
  const Repetitions repetitions = find_repetitions(graph, permutation, team);
  const IdVector<NewIndex, NewIndex> parent = elimination_tree(graph, permutation, repetitions);
  const IdVector<NewIndex, NewIndex> position = postorder_positions(parent);
  // A repetition has one child, the row before, so the postorder leaves the two side by side.
  Repetitions moved(repetitions.size(), 0);
  for (NewIndex k : repetitions.ids()) moved[position[k]] = repetitions[k];
  tree.permutation = move_columns(permutation, position);
  tree.parent = relabel_forest(parent, position);
  tree.count = column_counts(graph, tree.permutation, tree.parent, moved);
  return tree;
}

ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation) {
  ThreadTeam one(1);
  return build_column_tree(graph, permutation, one);
}

}  // namespace gpusupernodal
