#include <algorithm>
#include <vector>

#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

/// Below, threads are woken for longer than they save.
constexpr std::int32_t least_order_for_threads = 20'000;
/// Smaller subtrees are not worth the lists that are made of them.
constexpr std::int32_t least_subtree = 32;

/// Finds the root of a node's set and points the whole path at it.
NewIndex find_and_compress(IdVector<NewIndex, NewIndex>& ancestor, NewIndex node) {
  NewIndex root = node;
  while (ancestor[root] != root) root = ancestor[root];
  while (ancestor[node] != root) {
    const NewIndex next = ancestor[node];
    ancestor[node] = root;
    node = next;
  }
  return root;
}

/// A subtree that is gone over by itself: columns begin … root. Of the rows above it, the last leaf that each has in it.
struct CountedSubtree {
  struct LastLeaf {
    NewIndex row;
    NewIndex leaf;
  };
  NewIndex begin;
  NewIndex root;
  std::vector<LastLeaf> leaves;
};

/// What the leaves of row subtrees contribute, found in one walk over the columns in postorder. Subtrees may be gone over
/// before, at the same time; the walk then takes each of them at once.
class LeafCounter {
 public:
  LeafCounter(const AdjacencyGraph& graph, const Permutation& permutation, const IdVector<NewIndex, NewIndex>& parent,
              const Repetitions& repetitions)
      : graph_(graph),
        permutation_(permutation),
        parent_(parent),
        repetitions_(repetitions),
        size_(subtree_sizes(parent)),
        ancestor_(parent.size()),
        previous_leaf_(parent.size()),
        count_(parent.size(), 0) {
    for (NewIndex j : parent.ids()) {
      ancestor_[j] = j;
      count_[j] += size_[j] == 1 ? 1 : 0;
      if (parent[j].valid()) --count_[parent[j]];
    }
  }

  /// The largest subtrees of at most `largest` columns that have some columns at least.
  std::vector<CountedSubtree> cut(std::int32_t largest) const {
    std::vector<CountedSubtree> subtrees;
    for (NewIndex j : parent_.ids()) {
      if (size_[j] >= least_subtree && size_[j] <= largest && !(parent_[j].valid() && size_[parent_[j]] <= largest))
        subtrees.push_back({j - (size_[j] - 1), j, {}});
    }
    return subtrees;
  }

  /// Precondition: `last_leaf` has an entry a row, all invalid; it is left so.
  void count_within(CountedSubtree& subtree, IdVector<NewIndex, NewIndex>& last_leaf) {
    std::vector<NewIndex> above;
    for (NewIndex column : IdRange<NewIndex>(subtree.begin, subtree.root + 1)) {
      for_each_row(column, [&](NewIndex row) {
        if (row <= subtree.root) {
          visit(column, previous_leaf_[row]);
          return;
        }
        if (!last_leaf[row].valid()) above.push_back(row);
        visit(column, last_leaf[row]);
      });
      if (column < subtree.root) ancestor_[column] = parent_[column];
    }
    // What changes later is above the subtree, or its root.
    for (NewIndex column : IdRange<NewIndex>(subtree.begin, subtree.root)) count_[parent_[column]] += count_[column];
    subtree.leaves.reserve(above.size());
    for (const NewIndex row : above) {
      subtree.leaves.push_back({row, last_leaf[row]});
      last_leaf[row] = NewIndex();
    }
  }

  /// All columns. Precondition: the subtrees ascend and have been counted within.
  IdVector<NewIndex, std::int32_t> count(const std::vector<CountedSubtree>& subtrees) {
    auto next = subtrees.begin();
    for (NewIndex column(0); column.value < static_cast<std::int32_t>(parent_.size()); ++column) {
      if (next != subtrees.end() && next->begin == column) {
        for (const auto& [row, leaf] : next->leaves) {
          // The subtree's first leaf and the leaf before it meet above the subtree, as its last leaf does.
          if (previous_leaf_[row].valid()) --count_[find_and_compress(ancestor_, previous_leaf_[row])];
          previous_leaf_[row] = leaf;
        }
        column = next->root;
        ++next;
      } else {
        for_each_row(column, [&](NewIndex row) { visit(column, previous_leaf_[row]); });
      }
      if (parent_[column].valid()) ancestor_[column] = parent_[column];
    }
    next = subtrees.begin();
    for (NewIndex column(0); column.value < static_cast<std::int32_t>(parent_.size()); ++column) {
      if (next != subtrees.end() && next->begin == column) column = next++->root;
      if (parent_[column].valid()) count_[parent_[column]] += count_[column];
    }
    return std::move(count_);
  }

 private:
  /// Entries below the diagonal of a column of A that is no repetition.
  template <class Visit>
  void for_each_row(NewIndex column, Visit visit) const {
    if (repetitions_[column] != 0) return;
    for (OldIndex neighbour : graph_.of(permutation_.old_of_new[column])) {
      const NewIndex row = permutation_.new_of_old[neighbour];
      if (row > column) visit(row);
    }
  }

  /// An entry of A in this column; `previous`: the leaf of its row's subtree before this one.
  void visit(NewIndex column, NewIndex& previous) {
    const NewIndex first_descendant = column - (size_[column] - 1);
    // Not a leaf of the row's subtree if an earlier leaf is below this column.
    if (previous.valid() && previous >= first_descendant) return;
    ++count_[column];
    if (previous.valid()) --count_[find_and_compress(ancestor_, previous)];
    previous = column;
  }

  const AdjacencyGraph& graph_;
  const Permutation& permutation_;
  const IdVector<NewIndex, NewIndex>& parent_;
  const Repetitions& repetitions_;
  IdVector<NewIndex, std::int32_t> size_;
  IdVector<NewIndex, NewIndex> ancestor_;
  IdVector<NewIndex, NewIndex> previous_leaf_;
  IdVector<NewIndex, std::int32_t> count_;
};

}  // namespace

IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent, const Repetitions& repetitions,
                                               ThreadTeam& team) {
  LeafCounter leaves(graph, permutation, parent, repetitions);
  std::vector<CountedSubtree> subtrees;
  if (team.threads() > 1 && permutation.order() >= least_order_for_threads)
    subtrees = leaves.cut(permutation.order() / (4 * team.threads()));
  // Neighbouring subtrees together: each part has an array of length n.
  const auto count = static_cast<std::int64_t>(subtrees.size());
  const std::int64_t parts = std::min<std::int64_t>(2 * std::int64_t{team.threads()}, count);
  team.for_intervals(parts, 1, [&](std::int64_t begin, std::int64_t end) {
    IdVector<NewIndex, NewIndex> last_leaf(parent.size());
    for (std::int64_t k = count * begin / parts; k < count * end / parts; ++k)
      leaves.count_within(subtrees[static_cast<std::size_t>(k)], last_leaf);
  });
  return leaves.count(subtrees);
}

}  // namespace gpusupernodal
