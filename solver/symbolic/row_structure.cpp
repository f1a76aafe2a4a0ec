#include "solver/symbolic/row_structure.hpp"

#include <algorithm>
#include <span>

#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

class RowLister {
 public:
  RowLister(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest, RowStructure& result)
      : graph_(graph),
        permutation_(permutation),
        forest_(forest),
        children_(forest.parent),
        adjacent_(adjacent_children(forest.parent, forest.rows_below)),
        result_(result),
        seen_by_(permutation.old_of_new.size()) {}

  /// Lists the rows of s; its children must be done.
  void list(SupernodeId s) {
    added_.clear();
    missing_ = forest_.rows_below[s];
    const std::span<const NewIndex> base = adjacent_[s].valid() ? tail_beyond(adjacent_[s], s) : std::span<const NewIndex>();
    for (NewIndex row : base) seen_by_[row] = s;
    missing_ -= static_cast<std::int32_t>(base.size());
    for (SupernodeId c = children_.first[s]; c.valid() && missing_ > 0; c = children_.next[c]) {
      if (c != adjacent_[s]) add_all(tail_beyond(c, s), s);
    }
    if (missing_ > 0) add_from_matrix(s);
    std::sort(added_.begin(), added_.end());
    std::merge(base.begin(), base.end(), added_.begin(), added_.end(), result_.rows.begin() + result_.offset[s]);
  }

 private:
  std::span<const NewIndex> tail_beyond(SupernodeId child, SupernodeId s) const {
    const NewIndex* begin = result_.rows.data() + result_.offset[child];
    const NewIndex* end = result_.rows.data() + result_.offset[child + 1];
    const NewIndex* tail = std::lower_bound(begin, end, forest_.first_column[s + 1]);
    return {tail, static_cast<std::size_t>(end - tail)};
  }

  void add(NewIndex row, SupernodeId s) {
    if (seen_by_[row] == s) return;
    seen_by_[row] = s;
    added_.push_back(row);
    --missing_;
  }

  void add_all(std::span<const NewIndex> rows, SupernodeId s) {
    for (NewIndex row : rows) add(row, s);
  }

  void add_from_matrix(SupernodeId s) {
    const NewIndex end = forest_.first_column[s + 1];
    for (NewIndex column : IdRange<NewIndex>(forest_.first_column[s], end)) {
      for (OldIndex neighbour : graph_.of(permutation_.old_of_new[column])) {
        const NewIndex row = permutation_.new_of_old[neighbour];
        if (row >= end) add(row, s);
      }
    }
  }

  const AdjacencyGraph& graph_;
  const Permutation& permutation_;
  const SupernodeForest& forest_;
  ChildLists<SupernodeId> children_;
  IdVector<SupernodeId, SupernodeId> adjacent_;  ///< The child with the most rows, which is merged, not sorted.
  RowStructure& result_;
  IdVector<NewIndex, SupernodeId> seen_by_;
  std::vector<NewIndex> added_;
  std::int32_t missing_ = 0;  ///< Rows not found yet; when none is, the rest need not be looked at.
};

}  // namespace

RowStructure list_rows(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest) {
  RowStructure result;
  result.offset.assign(forest.parent.size() + 1, 0);
  for (SupernodeId s : forest.ids()) result.offset[s + 1] = result.offset[s] + forest.rows_below[s];
  result.rows.resize(static_cast<std::size_t>(result.offset.back()));
  RowLister lister(graph, permutation, forest, result);
  for (SupernodeId s : forest.ids()) lister.list(s);
  return result;
}

}  // namespace gpusupernodal
