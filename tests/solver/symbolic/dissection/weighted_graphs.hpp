#pragma once

/// \file
/// Weighted graphs for the tests of the dissection.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/dissection/random.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"
#include "tests/solver/symbolic/graphs.hpp"

namespace gpusupernodal::test {

using dissection::Vertex;
using dissection::WeightedGraph;

inline WeightedGraph weighted(const AdjacencyGraph& graph) {
  WeightedGraph result;
  result.offsets.assign(graph.offsets.begin(), graph.offsets.end());
  for (OldIndex i : graph.neighbours) result.neighbours.push_back(i.value);
  result.total_weight = graph.order;
  return result;
}

inline WeightedGraph grid(const char* name) { return weighted(graph_of(io::generate(name))); }

/// Builds a graph from edges, each given once.
inline WeightedGraph graph_of_edges(Vertex n, const std::set<std::pair<Vertex, Vertex>>& edges) {
  std::vector<std::vector<Vertex>> lists(static_cast<std::size_t>(n));
  for (const auto& [a, b] : edges) {
    lists[static_cast<std::size_t>(a)].push_back(b);
    lists[static_cast<std::size_t>(b)].push_back(a);
  }
  WeightedGraph result;
  result.offsets.push_back(0);
  for (const auto& list : lists) {
    result.neighbours.insert(result.neighbours.end(), list.begin(), list.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.neighbours.size()));
  }
  result.total_weight = n;
  return result;
}

inline WeightedGraph random_graph(Vertex n, int edges, std::uint64_t seed) {
  dissection::Random random(seed);
  std::set<std::pair<Vertex, Vertex>> pairs;
  while (static_cast<int>(pairs.size()) < edges) {
    const Vertex a = random.below(n);
    const Vertex b = random.below(n);
    if (a != b) pairs.insert(std::minmax(a, b));
  }
  return graph_of_edges(n, pairs);
}

inline WeightedGraph star(Vertex n) {
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 1; v < n; ++v) edges.insert({0, v});
  return graph_of_edges(n, edges);
}

inline WeightedGraph chain(Vertex n) {
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 1; v < n; ++v) edges.insert({v - 1, v});
  return graph_of_edges(n, edges);
}

inline WeightedGraph clique(Vertex n) {
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 1; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) edges.insert({u, v});
  }
  return graph_of_edges(n, edges);
}

/// Gives the vertices of a graph random weights from 1 to 5.
inline WeightedGraph with_weights(WeightedGraph graph, std::uint64_t seed) {
  dissection::Random random(seed);
  graph.vertex_weights.resize(static_cast<std::size_t>(graph.vertices()));
  graph.total_weight = 0;
  for (std::int32_t& w : graph.vertex_weights) graph.total_weight += w = 1 + random.below(5);
  return graph;
}

}  // namespace gpusupernodal::test
