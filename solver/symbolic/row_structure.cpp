#include "solver/symbolic/row_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/symbolic/forest.hpp"

namespace gpusupernodal {
namespace {

/// The input of all listers.
struct Source {
  Source(const AdjacencyGraph& g, const Permutation& p, const SupernodeForest& f)
      : graph(g), permutation(p), forest(f), children(f.parent), adjacent(adjacent_children(f.parent, f.rows_below)) {}

  const AdjacencyGraph& graph;
  const Permutation& permutation;
  const SupernodeForest& forest;
  ChildLists<SupernodeId> children;
  IdVector<SupernodeId, SupernodeId> adjacent;  ///< The child with the most rows, which are merged, not sorted.
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

  /// Lists the rows of s. Precondition: the rows of its children are listed.
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
  std::int32_t missing_ = 0;  ///< Number of rows not found yet; at 0 the search ends.
};

/// A complete subtree of the assembly tree.
struct Subtree {
  SupernodeId first;
  SupernodeId last;
};

/// The maximal subtrees with at most `max_rows` rows each, ascending.
std::vector<Subtree> cut_subtrees(const SupernodeForest& forest, const RowStructure& structure,
                                  const IdVector<SupernodeId, SupernodeId>& first, std::int64_t max_rows) {
  const auto is_small = [&](SupernodeId s) {
    return first[s].valid() && structure.offset[s + 1] - structure.offset[first[s]] <= max_rows;
  };
  std::vector<Subtree> subtrees;
  for (SupernodeId s : forest.ids()) {
    if (is_small(s) && !(forest.parent[s].valid() && is_small(forest.parent[s]))) subtrees.push_back({first[s], s});
  }
  return subtrees;
}

/// Lists the rows of supernodes first … last except those in `done`. Precondition: `done` ascends and its rows are listed.
void list_between(RowLister& lister, const Subtree& supernodes, const std::vector<Subtree>& done) {
  auto next = std::lower_bound(done.begin(), done.end(), supernodes.first,
                               [](const Subtree& subtree, SupernodeId first) { return subtree.first < first; });
  for (SupernodeId s = supernodes.first; s <= supernodes.last; ++s) {
    if (next != done.end() && next->first == s) {
      s = next++->last;
    } else {
      lister.list(s);
    }
  }
}

}  // namespace

RowStructure list_rows(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest,
                       ThreadTeam& team) {
  RowStructure result;
  result.offset.assign(forest.parent.size() + 1, 0);
  for (SupernodeId s : forest.ids()) result.offset[s + 1] = result.offset[s] + forest.rows_below[s];
  result.rows.resize(static_cast<std::size_t>(result.offset.back()));
  const Source source(graph, permutation, forest);
  // First small subtrees, enough to balance the threads, then larger ones that contain them: little is left for one thread.
  std::vector<Subtree> done;
  std::vector<std::optional<RowLister>> listers(static_cast<std::size_t>(team.threads()));
  const auto lister_of = [&](std::int64_t part) -> RowLister& {
    std::optional<RowLister>& lister = listers[static_cast<std::size_t>(part)];
    return lister ? *lister : lister.emplace(source, result);
  };
  if (team.threads() > 1) {
    const IdVector<SupernodeId, SupernodeId> first = subtree_firsts(forest.parent);
    for (std::int64_t share = 4 * std::int64_t{team.threads()}; share >= 4; share /= 4) {
      std::vector<Subtree> subtrees = cut_subtrees(forest, result, first, result.offset.back() / share);
      // A part is a run of consecutive subtrees, because each part needs a lister with an array of length n. Later parts
      // reuse the listers.
      const auto count = static_cast<std::int64_t>(subtrees.size());
      const std::int64_t parts = std::min<std::int64_t>(team.threads(), count);
      team.for_intervals(parts, 1, [&](std::int64_t begin, std::int64_t end) {
        RowLister& lister = lister_of(begin);
        for (std::int64_t k = count * begin / parts; k < count * end / parts; ++k)
          list_between(lister, subtrees[static_cast<std::size_t>(k)], done);
      });
      done = std::move(subtrees);
    }
  }
  list_between(lister_of(0), {SupernodeId(0), SupernodeId(static_cast<std::int64_t>(forest.parent.size()) - 1)}, done);
  return result;
}

}  // namespace gpusupernodal
