#include "solver/symbolic/dissection/minimum_degree.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "solver/symbolic/dissection/quotient_graph.hpp"

namespace gpusupernodal::dissection {

RawVector<Vertex> minimum_degree_order(const WeightedGraph& graph, Vertex inner) {
  if (inner == 0) return {};
  const auto n = static_cast<std::size_t>(graph.vertices());
  NeighbourLists<std::int32_t> lists;
  lists.begin.resize(n);
  lists.count.resize(n);
  lists.weight.resize(n);
  // Enough free space that lists are rarely packed; pieces are small.
  lists.entries.resize(graph.neighbours.size() + graph.neighbours.size() / 2 + 8 * n);
  std::copy(graph.neighbours.begin(), graph.neighbours.end(), lists.entries.begin());
  lists.used = static_cast<std::int32_t>(graph.neighbours.size());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const auto i = static_cast<std::size_t>(v);
    lists.begin[i] = static_cast<std::int32_t>(graph.begin(v));
    lists.count[i] = static_cast<std::int32_t>(graph.degree(v));
    lists.weight[i] = graph.weight(v);
  }
  return QuotientGraph<std::int32_t>(std::move(lists), inner).run({});
}

}  // namespace gpusupernodal::dissection
