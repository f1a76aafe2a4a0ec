#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Entries that Eigen's code takes for its quotient graph: a fifth more than those with the diagonal, and two a row.
Eigen::Index quotient_room(const AdjacencyGraph& graph) {
  const auto entries = static_cast<Eigen::Index>(graph.neighbours.size()) + graph.order;
  return entries + entries / 5 + 2 * static_cast<Eigen::Index>(graph.order);
}

/// The graph with its diagonal, as Eigen's code wants it; the values are of no interest and as small as can be.
template <class StorageIndex>
Eigen::SparseMatrix<signed char, Eigen::ColMajor, StorageIndex> eigen_pattern(const AdjacencyGraph& graph) {
  Eigen::SparseMatrix<signed char, Eigen::ColMajor, StorageIndex> pattern(graph.order, graph.order);
  const auto entries = static_cast<Eigen::Index>(graph.neighbours.size()) + graph.order;
  pattern.data().reserve(quotient_room(graph));  // What Eigen's code will want: it would copy what is there.
  pattern.resizeNonZeros(entries);
  StorageIndex* offsets = pattern.outerIndexPtr();
  StorageIndex* indices = pattern.innerIndexPtr();
  offsets[0] = 0;
  for (OldIndex i : IdRange<OldIndex>(graph.order)) {
    const auto neighbours = graph.of(i);
    StorageIndex* end = std::transform(neighbours.begin(), neighbours.end(), indices + offsets[i.value],
                                       [](OldIndex j) { return static_cast<StorageIndex>(j.value); });
    *end++ = i.value;
    offsets[i.value + 1] = static_cast<StorageIndex>(end - indices);
  }
  return pattern;
}

template <class StorageIndex>
EliminationOrder order_with(const AdjacencyGraph& graph) {
  auto pattern = eigen_pattern<StorageIndex>(graph);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex> permutation;
  Eigen::internal::minimum_degree_ordering(pattern, permutation);
  EliminationOrder order(static_cast<std::size_t>(graph.order));
  for (NewIndex k : order.ids()) order[k] = OldIndex(static_cast<std::int64_t>(permutation.indices()[k.value]));
  return order;
}

}  // namespace

EliminationOrder amd_order(const AdjacencyGraph& graph) {
  if (graph.neighbours.empty()) return natural_order(graph.order);
  // Eigen's code flips signs of indices.
  const bool narrow = quotient_room(graph) < std::numeric_limits<std::int32_t>::max();
  return narrow ? order_with<std::int32_t>(graph) : order_with<std::int64_t>(graph);
}

}  // namespace gpusupernodal
