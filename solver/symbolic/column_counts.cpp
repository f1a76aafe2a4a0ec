#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

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

/// What the leaves of row subtrees contribute, found in one walk over the columns in postorder.
class LeafCounter {
 public:
  explicit LeafCounter(const IdVector<NewIndex, NewIndex>& parent)
      : size_(subtree_sizes(parent)), ancestor_(parent.size()), previous_leaf_(parent.size()), count_(parent.size(), 0) {
    for (NewIndex j : parent.ids()) {
      ancestor_[j] = j;
      count_[j] += size_[j] == 1 ? 1 : 0;
      if (parent[j].valid()) --count_[parent[j]];
    }
  }

  /// Entry (row, column) of A with row > column.
  void visit_entry(NewIndex row, NewIndex column) {
    const NewIndex previous = previous_leaf_[row];
    const NewIndex first_descendant = column - (size_[column] - 1);
    // Not a leaf of the row's subtree if an earlier leaf is below this column.
    if (previous.valid() && previous >= first_descendant) return;
    previous_leaf_[row] = column;
    ++count_[column];
    if (previous.valid()) --count_[find_and_compress(ancestor_, previous)];
  }

  void leave_column(NewIndex column, NewIndex parent) {
    if (parent.valid()) ancestor_[column] = parent;
  }

  IdVector<NewIndex, std::int32_t> take() { return std::move(count_); }

 private:
  IdVector<NewIndex, std::int32_t> size_;
  IdVector<NewIndex, NewIndex> ancestor_;
  IdVector<NewIndex, NewIndex> previous_leaf_;
  IdVector<NewIndex, std::int32_t> count_;
};

}  // namespace

IdVector<NewIndex, std::int32_t> column_counts(const AdjacencyGraph& graph, const Permutation& permutation,
                                               const IdVector<NewIndex, NewIndex>& parent, const Repetitions& repetitions) {
  LeafCounter leaves(parent);
  for (NewIndex column : parent.ids()) {
    if (repetitions[column] == 0) {
      for (OldIndex neighbour : graph.of(permutation.old_of_new[column])) {
        const NewIndex row = permutation.new_of_old[neighbour];
        if (row > column) leaves.visit_entry(row, column);
      }
    }
    leaves.leave_column(column, parent[column]);
  }
  IdVector<NewIndex, std::int32_t> count = leaves.take();
  for (NewIndex column : parent.ids()) {
    if (parent[column].valid()) count[parent[column]] += count[column];
  }
  return count;
}

}  // namespace gpusupernodal
