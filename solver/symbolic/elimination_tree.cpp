#include "solver/symbolic/elimination_tree.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/independent_intervals.hpp"

namespace gpusupernodal {
namespace {

/// Whether a and b are neighbours and have the same other neighbours.
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

/// Calls body(k) for all columns on the team's threads.
template <class Body>
void each_column(std::int32_t order, ThreadTeam& team, const Body& body) {
  team.for_intervals(order, 16384, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex k : IdRange<NewIndex>(NewIndex(begin), NewIndex(end))) body(k);
  });
}

/// Builds the tree by adding rows in ascending order. Row intervals without connecting edges may be added concurrently.
class TreeBuilder {
 public:
  TreeBuilder(const AdjacencyGraph& graph, const Permutation& permutation, const Repetitions& repetitions, ThreadTeam& team)
      : graph_(graph),
        permutation_(permutation),
        repetitions_(repetitions),
        parent_(permutation.old_of_new.size()),
        ancestor_(filled<NewIndex>(permutation.old_of_new.size(), NewIndex(), team)) {}

  /// Adds the rows of an interval except those in the intervals `done`. Precondition: `done` ascends and has been added.
  void add(const RowInterval& rows, const std::vector<RowInterval>& done) {
    auto next = std::lower_bound(done.begin(), done.end(), rows.begin,
                                 [](const RowInterval& interval, NewIndex begin) { return interval.begin < begin; });
    for (NewIndex row = rows.begin; row < rows.end; ++row) {
      for (; next != done.end() && next->begin == row && row < rows.end; ++next) row = next->end;
      if (row < rows.end) add(row);
    }
  }

  IdVector<NewIndex, NewIndex> take() { return std::move(parent_); }

 private:
  void add(NewIndex row) {
    if (repetitions_[row] != 0) {
      // The subtrees below this row were attached to the preceding row.
      parent_[row - 1] = ancestor_[row - 1] = row;
      return;
    }
    for (OldIndex neighbour : graph_.of(permutation_.old_of_new[row])) {
      NewIndex node = permutation_.new_of_old[neighbour];
      while (node < row && node.valid()) {
        const NewIndex next = std::exchange(ancestor_[node], row);
        if (!next.valid()) parent_[node] = row;
        node = next;
      }
    }
  }

  const AdjacencyGraph& graph_;
  const Permutation& permutation_;
  const Repetitions& repetitions_;
  IdVector<NewIndex, NewIndex> parent_;
  RawIdVector<NewIndex, NewIndex> ancestor_;
};

}  // namespace

Repetitions find_repetitions(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team) {
  Repetitions result(permutation.old_of_new.size(), 0);
  // Graphs with up to two neighbours per row have few repetitions, which save little.
  if (static_cast<std::int64_t>(graph.neighbours.size()) <= 2 * std::int64_t{graph.order}) return result;
  team.for_intervals(permutation.order(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex k : IdRange<NewIndex>(NewIndex(std::max<std::int64_t>(begin, 1)), NewIndex(end))) {
      result[k] = same_neighbours(graph, permutation.old_of_new[k - 1], permutation.old_of_new[k]) ? 1 : 0;
    }
  });
  return result;
}

IdVector<NewIndex, NewIndex> elimination_tree(const AdjacencyGraph& graph, const Permutation& permutation,
                                              const Repetitions& repetitions, ThreadTeam& team) {
  TreeBuilder builder(graph, permutation, repetitions, team);
  const std::vector<std::int32_t> sizes = part_sizes(permutation.order(), team);
  std::vector<RowInterval> done;
  if (!sizes.empty()) {
    for (std::vector<RowInterval>& intervals : independent_intervals(graph, permutation, repetitions, sizes, team)) {
      const auto count = static_cast<std::int64_t>(intervals.size());
      team.for_intervals(count, std::max<std::int64_t>(1, count / (8 * team.threads())),
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; ++i)
                             builder.add(intervals[static_cast<std::size_t>(i)], done);
                         });
      done = std::move(intervals);
    }
  }
  builder.add({NewIndex(0), NewIndex(std::int64_t{permutation.order()})}, done);
  return builder.take();
}

Permutation move_columns(const Permutation& permutation, const IdVector<NewIndex, NewIndex>& position, ThreadTeam& team) {
  IdVector<NewIndex, OldIndex> old_of_new(permutation.old_of_new.size());
  each_column(permutation.order(), team, [&](NewIndex k) { old_of_new[position[k]] = permutation.old_of_new[k]; });
  return permutation_from(std::move(old_of_new), team);
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

std::int64_t ColumnTree::height() const {
  IdVector<NewIndex, std::int32_t> columns(parent.size(), 1);
  std::int32_t longest = 0;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    const NewIndex j(static_cast<std::int32_t>(i));
    longest = std::max(longest, columns[j]);
    if (parent[j].valid()) columns[parent[j]] = std::max(columns[parent[j]], columns[j] + 1);
  }
  return longest;
}

ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation, ThreadTeam& team) {
  ColumnTree tree;
  const Repetitions repetitions = find_repetitions(graph, permutation, team);
  const IdVector<NewIndex, NewIndex> parent = elimination_tree(graph, permutation, repetitions, team);
  const IdVector<NewIndex, NewIndex> position = postorder_positions(parent);
  // The preceding row is the only child of a repetition, so both stay adjacent in the postorder.
  Repetitions moved(repetitions.size(), 0);
  tree.parent.assign(parent.size(), NewIndex());
  each_column(permutation.order(), team, [&](NewIndex k) {
    moved[position[k]] = repetitions[k];
    if (parent[k].valid()) tree.parent[position[k]] = position[parent[k]];
  });
  tree.permutation = move_columns(permutation, position, team);
  tree.count = column_counts(graph, tree.permutation, tree.parent, moved, team);
  return tree;
}

ColumnTree build_column_tree(const AdjacencyGraph& graph, const Permutation& permutation) {
  ThreadTeam one(1);
  return build_column_tree(graph, permutation, one);
}

}  // namespace gpusupernodal
