#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Entries that Eigen's code takes for its quotient graph: a fifth more than those with the diagonal, and two a row.
Eigen::Index quotient_room(std::int64_t entries, std::int64_t order) { return entries + entries / 5 + 2 * order; }

/// Vertices in the order of their elimination, and what is left of the graph.
struct Peeled {
  std::vector<OldIndex> order;
  IdVector<OldIndex, std::int32_t> degree;  ///< Neighbours that are left; −1 of a vertex that is eliminated itself.
};

/// Eliminates, again and again, what has one neighbour at most: that fills nothing, and is all there is to do in a tree.
/// From all ends at once, which leaves the elimination tree low. Cost O(|A|).
Peeled peel(const AdjacencyGraph& graph) {
  Peeled peeled{{}, IdVector<OldIndex, std::int32_t>(static_cast<std::size_t>(graph.order))};
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

/// What is left of the graph, `left`, with its diagonal, as Eigen's code wants it; the values are of no interest and as
/// small as can be. `degree` is used up.
template <class StorageIndex>
Eigen::SparseMatrix<signed char, Eigen::ColMajor, StorageIndex> eigen_pattern(const AdjacencyGraph& graph,
                                                                              IdVector<OldIndex, std::int32_t> degree,
                                                                              const std::vector<OldIndex>& left) {
  const auto order = static_cast<Eigen::Index>(left.size());
  Eigen::SparseMatrix<signed char, Eigen::ColMajor, StorageIndex> pattern(order, order);
  StorageIndex* const offsets = pattern.outerIndexPtr();
  IdVector<OldIndex, std::int32_t>& number = degree;
  offsets[0] = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    offsets[k + 1] = offsets[k] + degree[left[k]] + 1;
    number[left[k]] = static_cast<std::int32_t>(k);
  }
  // What Eigen's code will want: it would copy what is there.
  pattern.data().reserve(quotient_room(offsets[order], order));
  pattern.resizeNonZeros(offsets[order]);
  StorageIndex* next = pattern.innerIndexPtr();
  for (std::size_t k = 0; k < left.size(); ++k) {
    for (OldIndex w : graph.of(left[k])) {
      if (number[w] >= 0) *next++ = number[w];
    }
    *next++ = static_cast<StorageIndex>(k);
  }
  return pattern;
}

template <class StorageIndex>
EliminationOrder order_with(const AdjacencyGraph& graph) {
  Peeled peeled = peel(graph);
  std::vector<OldIndex> left;
  left.reserve(peeled.degree.size() - peeled.order.size());
  for (OldIndex v : IdRange<OldIndex>(graph.order)) {
    if (peeled.degree[v] >= 0) left.push_back(v);
  }
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex> permutation;
  if (!left.empty()) {
    auto pattern = eigen_pattern<StorageIndex>(graph, std::move(peeled.degree), left);
    Eigen::internal::minimum_degree_ordering(pattern, permutation);
  }
  EliminationOrder order(static_cast<std::size_t>(graph.order));
  auto next = std::copy(peeled.order.begin(), peeled.order.end(), order.begin());
  for (Eigen::Index k = 0; k < permutation.size(); ++k) *next++ = left[static_cast<std::size_t>(permutation.indices()[k])];
  return order;
}

}  // namespace

EliminationOrder amd_order(const AdjacencyGraph& graph) {
  if (graph.neighbours.empty()) return natural_order(graph.order);
  // Eigen's code flips signs of indices.
  const bool narrow = quotient_room(static_cast<std::int64_t>(graph.neighbours.size()) + graph.order, graph.order) <
                      std::numeric_limits<std::int32_t>::max();
  return narrow ? order_with<std::int32_t>(graph) : order_with<std::int64_t>(graph);
}

}  // namespace gpusupernodal
