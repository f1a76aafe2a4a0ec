#include "solver/symbolic/row_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

/// What the rows are made from.
struct Source {
  Source(const AdjacencyGraph& g, const Permutation& p, const SupernodeForest& f)
      : graph(g), permutation(p), forest(f), children(f.parent), adjacent(adjacent_children(f.parent, f.rows_below)) {}

  const AdjacencyGraph& graph;
  const Permutation& permutation;
  const SupernodeForest& forest;
  ChildLists<SupernodeId> children;
  IdVector<SupernodeId, SupernodeId> adjacent;  ///< The child with the most rows, which is merged, not sorted.
};

class RowLister {
 public:
  RowLister(const Source& source, RowStructure& result)
      : graph_(source.graph),
        permutation_(source.permutation),
        forest_(source.forest),
        children_(source.children),
        adjacent_(source.adjacent),
        result_(result),
        seen_by_(source.permutation.old_of_new.size()) {}

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
  const ChildLists<SupernodeId>& children_;
  const IdVector<SupernodeId, SupernodeId>& adjacent_;
  RowStructure& result_;
  IdVector<NewIndex, SupernodeId> seen_by_;
  std::vector<NewIndex> added_;
  std::int32_t missing_ = 0;  ///< Rows not found yet; when none is, the rest need not be looked at.
};

/// A complete subtree of the assembly tree.
struct Subtree {
  SupernodeId first;
  SupernodeId last;
};

/// The largest subtrees with at most a share of the rows each, ascending, enough of them to balance `parts` threads.
std::vector<Subtree> cut_subtrees(const SupernodeForest& forest, const RowStructure& structure, int parts) {
  const IdVector<SupernodeId, SupernodeId> first = subtree_firsts(forest.parent);
  const std::int64_t share = structure.offset.back() / (4 * std::int64_t{parts});
  const auto is_small = [&](SupernodeId s) {
    return first[s].valid() && structure.offset[s + 1] - structure.offset[first[s]] <= share;
  };
  std::vector<Subtree> subtrees;
  for (SupernodeId s : forest.ids()) {
    if (is_small(s) && !(forest.parent[s].valid() && is_small(forest.parent[s]))) subtrees.push_back({first[s], s});
  }
  return subtrees;
}

}  // namespace

RowStructure list_rows(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest,
                       ThreadTeam& team) {
  RowStructure result;
  result.offset.assign(forest.parent.size() + 1, 0);
  for (SupernodeId s : forest.ids()) result.offset[s + 1] = result.offset[s] + forest.rows_below[s];
  result.rows.resize(static_cast<std::size_t>(result.offset.back()));
  const Source source(graph, permutation, forest);
  std::vector<Subtree> subtrees;
  if (team.threads() > 1) subtrees = cut_subtrees(forest, result, team.threads());
  // Neighbouring subtrees together: a lister has an array of length n.
  team.for_intervals(std::min<std::int64_t>(team.threads(), static_cast<std::int64_t>(subtrees.size())), 1,
                     [&](std::int64_t begin, std::int64_t end) {
                       const auto count = static_cast<std::int64_t>(subtrees.size());
                       const std::int64_t parts = std::min<std::int64_t>(team.threads(), count);
                       RowLister lister(source, result);
                       for (std::int64_t k = count * begin / parts; k < count * end / parts; ++k) {
                         const Subtree& subtree = subtrees[static_cast<std::size_t>(k)];
                         for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) lister.list(s);
                       }
                     });
  RowLister lister(source, result);
  std::size_t next = 0;
  for (SupernodeId s(0); s.value < static_cast<std::int32_t>(forest.parent.size()); ++s) {
    if (next < subtrees.size() && subtrees[next].first == s) {
      s = subtrees[next++].last;
    } else {
      lister.list(s);
    }
  }
  return result;
}

}  // namespace gpusupernodal
