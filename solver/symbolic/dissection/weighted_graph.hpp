#pragma once

/// \file
/// The weighted graphs of the dissection: compressed graphs, subgraphs and coarse graphs.

#include <cstdint>
#include <span>

#include "base/raw_vector.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal::dissection {

using Vertex = std::int32_t;  ///< A vertex of the graph that the function at hand works on.

/// An undirected graph without loops that stores both directions of each edge. Weights count merged rows and edges.
struct WeightedGraph {
  RawVector<std::int64_t> offsets;         ///< vertices + 1 entries.
  RawVector<Vertex> neighbours;            ///< Those of v are neighbours[offsets[v] … offsets[v + 1]−1].
  RawVector<std::int32_t> vertex_weights;  ///< Number of rows of A; empty if all are 1.
  RawVector<std::uint32_t> edge_weights;   ///< Merged edges, modulo 2³² (a heuristic only); empty if all are 1.
  std::int64_t total_weight = 0;           ///< Sum of the vertex weights.

  Vertex vertices() const { return static_cast<Vertex>(offsets.size()) - 1; }
  std::int64_t begin(Vertex v) const { return offsets[static_cast<std::size_t>(v)]; }
  std::int64_t end(Vertex v) const { return offsets[static_cast<std::size_t>(v) + 1]; }
  std::int64_t degree(Vertex v) const { return end(v) - begin(v); }
  std::span<const Vertex> of(Vertex v) const { return {neighbours.data() + begin(v), static_cast<std::size_t>(degree(v))}; }
  std::int32_t weight(Vertex v) const { return vertex_weights.empty() ? 1 : vertex_weights[static_cast<std::size_t>(v)]; }
  std::uint32_t edge_weight(std::int64_t e) const {
    return edge_weights.empty() ? 1 : edge_weights[static_cast<std::size_t>(e)];
  }
};

/// A view of a graph without edge weights.
struct GraphView {
  std::span<const std::int64_t> offsets;
  const Vertex* neighbours = nullptr;
  const std::int32_t* vertex_weights = nullptr;  ///< Null if all are 1.

  GraphView() = default;
  explicit GraphView(const WeightedGraph& graph)
      : offsets(graph.offsets),
        neighbours(graph.neighbours.data()),
        vertex_weights(graph.vertex_weights.empty() ? nullptr : graph.vertex_weights.data()) {}
  explicit GraphView(const AdjacencyGraph& graph) : offsets(graph.offsets) {
    static_assert(sizeof(OldIndex) == sizeof(Vertex));
    if (!graph.neighbours.empty()) neighbours = &graph.neighbours.data()->value;
  }

  Vertex vertices() const { return static_cast<Vertex>(offsets.size()) - 1; }
  std::span<const Vertex> of(Vertex v) const {
    const std::int64_t begin = offsets[static_cast<std::size_t>(v)];
    return {neighbours + begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(v) + 1] - begin)};
  }
  std::int32_t weight(Vertex v) const { return vertex_weights == nullptr ? 1 : vertex_weights[v]; }
};

}  // namespace gpusupernodal::dissection
