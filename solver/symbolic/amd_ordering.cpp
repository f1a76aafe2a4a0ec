#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "solver/symbolic/bit_graph.hpp"
#include "solver/symbolic/dissection/quotient_graph.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// The eliminated vertices in elimination order, and the degrees in the remaining graph.
struct Peeled {
  std::vector<OldIndex> order;
  IdVector<OldIndex, std::int32_t> degree;  ///< Number of remaining neighbours; −1 for eliminated vertices.
};

/// Repeatedly eliminates vertices with at most one neighbour, which causes no fill and orders a tree completely. Proceeds
/// from all leaves at once, which keeps the elimination tree low. Cost O(|A|).
Peeled peel(const AdjacencyGraph& graph) {
  Peeled peeled{{}, IdVector<OldIndex, std::int32_t>(static_cast<std::size_t>(graph.order))};
  peeled.order.reserve(peeled.degree.size());
  for (OldIndex v : IdRange<OldIndex>(graph.order)) {
    peeled.degree[v] = static_cast<std::int32_t>(graph.of(v).size());
    if (peeled.degree[v] <= 1) peeled.order.push_back(v);
  }
  for (std::size_t next = 0; next < peeled.order.size(); ++next) {
    const OldIndex v = peeled.order[next];
    const bool alone = std::exchange(peeled.degree[v], -1) == 0;
    if (alone) continue;
    for (OldIndex w : graph.of(v)) {
      if (peeled.degree[w] < 0) continue;
      if (--peeled.degree[w] == 1) peeled.order.push_back(w);
      break;
    }
  }
  return peeled;
}

/// Eliminates vertices with two neighbours and connects those. No list of neighbours grows, so lists are changed in place.
/// A round eliminates no two neighbours, which keeps the elimination tree low. Only for small graphs, where building the
/// quotient graph would take longer than the ordering.
class Shortener {
 public:
  /// Modifies both arguments.
  Shortener(AdjacencyGraph& graph, Peeled& peeled) : graph_(graph), peeled_(peeled) {}

  static bool is_for(const AdjacencyGraph& graph) { return graph.order <= 1000; }

  /// Eliminates vertices; returns false and changes nothing if too few vertices have two neighbours.
  bool run() {
    std::size_t left = 0;
    later_.reserve(peeled_.degree.size());
    for (OldIndex v : IdRange<OldIndex>(graph_.order)) {
      left += peeled_.degree[v] >= 0 ? 1 : 0;
      if (peeled_.degree[v] == 2) later_.push_back(v);
    }
    constexpr std::size_t min_share = 4;
    if (later_.size() * min_share < left) return false;
    touched_.assign(peeled_.degree.size(), -1);
    std::vector<OldIndex> now;
    now.reserve(peeled_.degree.size());
    for (round_ = 0; !later_.empty(); ++round_) {
      now.swap(later_);
      later_.clear();
      for (OldIndex v : now) visit(v);
    }
    return true;
  }

 private:
  void visit(OldIndex v) {
    if (peeled_.degree[v] < 0) return;
    if (touched_[v] == round_) {
      later_.push_back(v);
      return;
    }
    std::array<OldIndex, 2> ends;
    std::size_t count = 0;
    for (OldIndex w : graph_.of(v)) {
      if (peeled_.degree[w] < 0) continue;
      if (graph_.of(w).size() > longest_list) return;
      ends[count++] = w;
    }
    peeled_.order.push_back(v);
    peeled_.degree[v] = -1;
    if (count == 2 && !are_neighbours(ends[0], ends[1])) {
      *place_of(v, ends[0]) = ends[1];
      *place_of(v, ends[1]) = ends[0];
      touched_[ends[0]] = touched_[ends[1]] = round_;
      return;
    }
    for (std::size_t k = 0; k < count; ++k) {
      touched_[ends[k]] = round_;
      if (--peeled_.degree[ends[k]] <= 2) later_.push_back(ends[k]);
    }
  }

  /// Pointer to v among the neighbours of `of`; past their end if v is not one of them.
  OldIndex* place_of(OldIndex v, OldIndex of) {
    const auto begin = static_cast<std::size_t>(graph_.offsets[static_cast<std::size_t>(of.value)]);
    const auto end = static_cast<std::size_t>(graph_.offsets[static_cast<std::size_t>(of.value) + 1]);
    return std::find(graph_.neighbours.data() + begin, graph_.neighbours.data() + end, v);
  }

  bool are_neighbours(OldIndex a, OldIndex b) {
    const auto all = graph_.of(a);
    return std::find(all.begin(), all.end(), b) != all.end();
  }

  /// Lists are searched linearly, so vertices with longer lists are excluded.
  static constexpr std::size_t longest_list = 16;

  AdjacencyGraph& graph_;
  Peeled& peeled_;
  std::vector<OldIndex> later_;               ///< Candidates for the next round.
  IdVector<OldIndex, std::int32_t> touched_;  ///< Last round that changed a vertex's neighbours.
  std::int32_t round_ = 0;
};

/// Orders the few remaining vertices of a shortened graph exactly. Returns indices into `left` in elimination order.
template <std::size_t words>
std::vector<std::int32_t> order_few(const AdjacencyGraph& graph, IdVector<OldIndex, std::int32_t> number,
                                    const std::vector<OldIndex>& left) {
  BitGraph<words> few(static_cast<std::int32_t>(left.size()));
  for (std::size_t k = 0; k < left.size(); ++k) number[left[k]] = static_cast<std::int32_t>(k);
  for (OldIndex v : left) {
    for (OldIndex w : graph.of(v)) {
      if (number[w] >= 0) few.add(number[v], number[w]);
    }
  }
  return few.minimum_degree_order();
}

/// Vertices with more neighbours than this are eliminated last, and the others are ordered without them.
std::int32_t max_neighbours(std::size_t vertices) {
  constexpr double min_limit = 16.0;
  const auto n = static_cast<double>(vertices);
  return static_cast<std::int32_t>(std::max(0.0, std::min(std::max(min_limit, 10.0 * std::sqrt(n)), n - 2.0)));
}

/// Removes the vertices with many neighbours from `left` and returns them, sorted by degree, then number.
std::vector<OldIndex> take_dense(std::vector<OldIndex>& left, const IdVector<OldIndex, std::int32_t>& degree) {
  const std::int32_t max_degree = max_neighbours(left.size());
  std::vector<OldIndex> dense;
  std::copy_if(left.begin(), left.end(), std::back_inserter(dense), [&](OldIndex v) { return degree[v] > max_degree; });
  if (dense.empty()) return dense;
  std::erase_if(left, [&](OldIndex v) { return degree[v] > max_degree; });
  std::stable_sort(dense.begin(), dense.end(), [&](OldIndex v, OldIndex w) { return degree[v] < degree[w]; });
  return dense;
}

/// The neighbour lists of `left`, with free space for the quotient graphs. Reuses the memory of `degree`.
template <class Place>
dissection::NeighbourLists<Place> lists_of(const AdjacencyGraph& graph, IdVector<OldIndex, std::int32_t> degree,
                                           const std::vector<OldIndex>& left) {
  IdVector<OldIndex, std::int32_t>& number = degree;
  std::int64_t max_entries = 0;
  for (const OldIndex v : left) max_entries += degree[v];
  std::fill(number.begin(), number.end(), -1);
  for (std::size_t k = 0; k < left.size(); ++k) number[left[k]] = static_cast<std::int32_t>(k);
  dissection::NeighbourLists<Place> lists;
  lists.begin.resize(left.size());
  lists.count.resize(left.size());
  lists.weight.assign(left.size(), 1);
  lists.entries.resize(static_cast<std::size_t>(max_entries + max_entries / 8) + left.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    lists.begin[k] = lists.used;
    for (const OldIndex w : graph.of(left[k])) {
      if (number[w] >= 0) lists.entries[static_cast<std::size_t>(lists.used++)] = number[w];
    }
    lists.count[k] = static_cast<std::int32_t>(lists.used - lists.begin[k]);
  }
  return lists;
}

/// Orders `left` by approximate minimum degree on quotient graphs. Returns indices into `left` in elimination order; fewer
/// than all if `keep_going` returned false.
template <class Place>
RawVector<std::int32_t> order_many(const AdjacencyGraph& graph, IdVector<OldIndex, std::int32_t> degree,
                                   const std::vector<OldIndex>& left, const ContinueOrdering& keep_going) {
  auto lists = lists_of<Place>(graph, std::move(degree), left);
  return dissection::QuotientGraph<Place>(std::move(lists), static_cast<std::int32_t>(left.size())).run(keep_going);
}

template <class Place>
EliminationOrder order_with(const AdjacencyGraph& whole, const ContinueOrdering& keep_going) {
  Peeled peeled = peel(whole);
  AdjacencyGraph shortened;
  bool is_short = false;
  if (Shortener::is_for(whole)) {
    shortened = whole;
    is_short = Shortener(shortened, peeled).run();
  }
  const AdjacencyGraph& graph = is_short ? shortened : whole;
  std::vector<OldIndex> left;
  left.reserve(peeled.degree.size() - peeled.order.size());
  for (OldIndex v : IdRange<OldIndex>(graph.order)) {
    if (peeled.degree[v] >= 0) left.push_back(v);
  }
  EliminationOrder order(static_cast<std::size_t>(graph.order));
  auto next = std::copy(peeled.order.begin(), peeled.order.end(), order.begin());
  const auto append = [&](const auto& places) {
    for (const auto place : places) *next++ = left[static_cast<std::size_t>(place)];
  };
  if (is_short && left.size() <= BitGraph<2>::max_vertices) {
    append(order_few<2>(graph, std::move(peeled.degree), left));
  } else if (is_short && left.size() <= BitGraph<4>::max_vertices) {
    append(order_few<4>(graph, std::move(peeled.degree), left));
  } else if (!left.empty()) {
    const std::vector<OldIndex> dense = take_dense(left, peeled.degree);
    const auto places = order_many<Place>(graph, std::move(peeled.degree), left, keep_going);
    if (places.size() < left.size()) return {};
    append(places);
    std::copy(dense.begin(), dense.end(), next);
  }
  return order;
}

}  // namespace

EliminationOrder amd_order(const AdjacencyGraph& graph, const ContinueOrdering& keep_going) {
  if (graph.neighbours.empty()) return natural_order(graph.order);
  // Counts the free space that lists_of adds.
  const bool narrow = graph.neighbours.size() + graph.neighbours.size() / 8 + static_cast<std::size_t>(graph.order) <
                      static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  return narrow ? order_with<std::int32_t>(graph, keep_going) : order_with<std::int64_t>(graph, keep_going);
}

}  // namespace gpusupernodal
