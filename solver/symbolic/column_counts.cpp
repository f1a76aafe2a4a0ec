#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel_lists.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/forest.hpp"
#include "solver/symbolic/independent_intervals.hpp"

namespace gpusupernodal {
namespace {

/// Listing the leaves of smaller subtrees costs more than it saves.
constexpr std::int32_t min_subtree = 32;

/// Finds the root of a node's set and points the whole path at it.
NewIndex find_and_compress(RawIdVector<NewIndex, NewIndex>& ancestor, NewIndex node) {
  NewIndex root = node;
  while (ancestor[root] != root) root = ancestor[root];
  while (ancestor[node] != root) {
    const NewIndex next = ancestor[node];
    ancestor[node] = root;
    node = next;
  }
  return root;
}

/// A subtree that is counted separately: columns begin … root, and for each row above it, the row's last leaf in it.
struct CountedSubtree {
  struct LastLeaf {
    NewIndex row;
    NewIndex leaf;
  };
  NewIndex begin;
  NewIndex root;
  std::vector<LastLeaf> leaves;
};

/// Sums the contributions of the leaves of row subtrees in one walk over the columns in postorder. Disjoint subtrees may be
/// counted concurrently first; the walk then handles each of them in one step.
class LeafCounter {
 public:
  LeafCounter(const AdjacencyGraph& graph, const Permutation& permutation, const IdVector<NewIndex, NewIndex>& parent,
              const Repetitions& repetitions, ThreadTeam& team)
      : graph_(graph),
        permutation_(permutation),
        parent_(parent),
        repetitions_(repetitions),
        size_(subtree_sizes(parent, team)),
        ancestor_(filled<NewIndex>(parent.size(), NewIndex(), team)),
        previous_leaf_(filled<NewIndex>(parent.size(), NewIndex(), team)),
        count_(parent.size(), 0) {
    // Atomic only if several threads add.
    const auto add = [alone = team.threads() == 1](std::int32_t& count, std::int32_t more) {
      if (alone) {
        count += more;
      } else {
        std::atomic_ref(count).fetch_add(more, std::memory_order_relaxed);
      }
    };
    team.for_intervals(permutation.order(), 16384, [&](std::int64_t begin, std::int64_t end) {
      for (NewIndex j : IdRange<NewIndex>(NewIndex(begin), NewIndex(end))) {
        ancestor_[j] = j;
        if (size_[j] == 1) add(count_[j], 1);
        if (parent_[j].valid()) add(count_[parent_[j]], -1);
      }
    });
  }

  /// The maximal subtrees of min_subtree to `largest` columns.
  std::vector<CountedSubtree> cut(std::int32_t largest, ThreadTeam& team) const {
    const auto is_root = [&](std::int64_t i) {
      const NewIndex j(i);
      return size_[j] >= min_subtree && size_[j] <= largest && !(parent_[j].valid() && size_[parent_[j]] <= largest);
    };
    const RawVector<NewIndex> roots = list_where<NewIndex>(static_cast<std::int64_t>(parent_.size()), team, is_root,
                                                           [](std::int64_t i) { return NewIndex(i); });
    std::vector<CountedSubtree> subtrees;
    subtrees.reserve(roots.size());
    for (const NewIndex j : roots) subtrees.push_back({j - (size_[j] - 1), j, {}});
    return subtrees;
  }

  /// Counts a subtree and lists the last leaves of the rows above it. Preconditions: the subtrees `done` ascend and have
  /// been counted; `last_leaf` has one invalid entry per row. Leaves `last_leaf` invalid.
  void count_within(CountedSubtree& subtree, std::vector<CountedSubtree>& done, IdVector<NewIndex, NewIndex>& last_leaf) {
    std::vector<NewIndex> above;
    const auto leaf_of = [&](NewIndex row) -> NewIndex& {
      if (row <= subtree.root) return previous_leaf_[row];
      if (!last_leaf[row].valid()) above.push_back(row);
      return last_leaf[row];
    };
    walk(subtree.begin, subtree.root + 1, done, leaf_of);
    // Later changes affect only the root and columns above the subtree.
    add_to_parents(subtree.begin, subtree.root, done);
    subtree.leaves.reserve(above.size());
    for (const NewIndex row : above) {
      subtree.leaves.push_back({row, last_leaf[row]});
      last_leaf[row] = NewIndex();
    }
  }

  /// Returns the counts of all columns. Precondition: the subtrees `done` ascend and have been counted.
  IdVector<NewIndex, std::int32_t> count(std::vector<CountedSubtree>& done) {
    const NewIndex end(static_cast<std::int64_t>(parent_.size()));
    walk(NewIndex(0), end, done, [&](NewIndex row) -> NewIndex& { return previous_leaf_[row]; });
    add_to_parents(NewIndex(0), end, done);
    return std::move(count_);
  }

 private:
  /// The first subtree that begins at or after `column`.
  static auto first_from(std::vector<CountedSubtree>& done, NewIndex column) {
    return std::lower_bound(done.begin(), done.end(), column,
                            [](const CountedSubtree& subtree, NewIndex begin) { return subtree.begin < begin; });
  }

  /// Visits columns begin … end−1. leaf_of(row) returns a reference to the last leaf of the row among them.
  template <class LeafOf>
  void walk(NewIndex begin, NewIndex end, std::vector<CountedSubtree>& done, const LeafOf& leaf_of) {
    auto next = first_from(done, begin);
    for (NewIndex column = begin; column < end; ++column) {
      if (next != done.end() && next->begin == column) {
        for (const auto& [row, leaf] : next->leaves) {
          // The row's previous leaf meets each of the row's leaves in the subtree at the same ancestor above the subtree.
          NewIndex& previous = leaf_of(row);
          if (previous.valid()) --count_[find_and_compress(ancestor_, previous)];
          previous = leaf;
        }
        next->leaves = {};
        column = next->root;
        ++next;
      } else {
        for_each_row(column, [&](NewIndex row) { visit(column, leaf_of(row)); });
      }
      // The last column is joined to its parent when the columns above it are visited.
      if (column + 1 < end && parent_[column].valid()) ancestor_[column] = parent_[column];
    }
  }

  /// Adds the counts of columns begin … end−1 to their parents, except within the subtrees `done`.
  void add_to_parents(NewIndex begin, NewIndex end, std::vector<CountedSubtree>& done) {
    auto next = first_from(done, begin);
    for (NewIndex column = begin; column < end; ++column) {
      for (; next != done.end() && next->begin == column; ++next) column = next->root;
      if (column < end && parent_[column].valid()) count_[parent_[column]] += count_[column];
    }
  }

  /// Calls visit(row) for the entries below the diagonal of a column of A; skips repetitions.
  template <class Visit>
  void for_each_row(NewIndex column, Visit visit) const {
    if (repetitions_[column] != 0) return;
    for (OldIndex neighbour : graph_.of(permutation_.old_of_new[column])) {
      const NewIndex row = permutation_.new_of_old[neighbour];
      if (row > column) visit(row);
    }
  }

  /// Handles an entry of A in this column. `previous` is the last leaf of its row's subtree.
  void visit(NewIndex column, NewIndex& previous) {
    const NewIndex first_descendant = column - (size_[column] - 1);
    // The column is not a leaf of the row's subtree if the previous leaf is its descendant.
    if (previous.valid() && previous >= first_descendant) return;
    ++count_[column];
    if (previous.valid()) --count_[find_and_compress(ancestor_, previous)];
    previous = column;
  }

  const AdjacencyGraph& graph_;
  const Permutation& permutation_;
  const IdVector<NewIndex, NewIndex>& parent_;
  const Repetitions& repetitions_;
  RawIdVector<NewIndex, std::int32_t> size_;
  RawIdVector<NewIndex, NewIndex> ancestor_;
  RawIdVector<NewIndex, NewIndex> previous_leaf_;
  IdVector<NewIndex, std::int32_t> count_;
};

/// A pool of arrays of n invalid entries.
class SpareArrays {
 public:
  explicit SpareArrays(std::size_t n) : n_(n) {}

  IdVector<NewIndex, NewIndex> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!arrays_.empty()) {
        IdVector<NewIndex, NewIndex> array = std::move(arrays_.back());
        arrays_.pop_back();
        return array;
      }
    }
    return IdVector<NewIndex, NewIndex>(n_);
  }
  /// Precondition: all entries are invalid.
  void give_back(IdVector<NewIndex, NewIndex> array) {
    const std::lock_guard lock(mutex_);
    arrays_.push_back(std::move(array));
  }

 private:
  std::size_t n_;
  std::mutex mutex_;
  std::vector<IdVector<NewIndex, NewIndex>> arrays_;
};

}  // namespace

IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent, const Repetitions& repetitions,
                                               ThreadTeam& team) {
  LeafCounter leaves(graph, permutation, parent, repetitions, team);
  std::vector<CountedSubtree> done;
  {
    SpareArrays spare(parent.size());
    for (const std::int32_t largest : part_sizes(permutation.order(), team)) {
      std::vector<CountedSubtree> subtrees = leaves.cut(largest, team);
      // A part is a run of consecutive subtrees, because each part needs an array of length n. Later parts reuse the arrays.
      const auto count = static_cast<std::int64_t>(subtrees.size());
      const std::int64_t parts = std::min<std::int64_t>(2 * team.threads(), count);
      team.for_intervals(parts, 1, [&](std::int64_t begin, std::int64_t end) {
        IdVector<NewIndex, NewIndex> last_leaf = spare.take();
        for (std::int64_t k = count * begin / parts; k < count * end / parts; ++k)
          leaves.count_within(subtrees[static_cast<std::size_t>(k)], done, last_leaf);
        spare.give_back(std::move(last_leaf));
      });
      done = std::move(subtrees);
    }
  }
  return leaves.count(done);
}

}  // namespace gpusupernodal
