#include "solver/symbolic/dissection/subgraphs.hpp"

#include <cstddef>

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t grain = 4096;

/// Vertices of a part, in the numbers of the graph it is cut out of.
using PartLists = std::vector<RawVector<Vertex>>;

void count_edges(const Subgraph& from, const RawVector<Vertex>& part_of, const RawVector<Vertex>& vertices, Vertex part,
                 WeightedGraph& graph, ThreadTeam& team) {
  graph.offsets.resize(vertices.size() + 1);
  graph.offsets[0] = 0;
  team.for_intervals(static_cast<std::int64_t>(vertices.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t edges = 0;
      for (const Vertex u : from.graph.of(vertices[static_cast<std::size_t>(k)])) {
        edges += part_of[static_cast<std::size_t>(u)] == part ? 1 : 0;
      }
      graph.offsets[static_cast<std::size_t>(k) + 1] = edges;
    }
  });
  for (std::size_t k = 0; k < vertices.size(); ++k) graph.offsets[k + 1] += graph.offsets[k];
}

void fill(const Subgraph& from, const RawVector<Vertex>& part_of, const RawVector<Vertex>& local,
          const RawVector<Vertex>& vertices, Vertex part, Subgraph& result, ThreadTeam& team) {
  WeightedGraph& graph = result.graph;
  graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
  result.whole.resize(vertices.size());
  const bool weighted = !from.graph.vertex_weights.empty();
  const bool edges_weighted = !from.graph.edge_weights.empty();
  if (edges_weighted) graph.edge_weights.resize(graph.neighbours.size());
  if (weighted) graph.vertex_weights.resize(vertices.size());
  team.for_intervals(static_cast<std::int64_t>(vertices.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Vertex v = vertices[i];
      auto next = static_cast<std::size_t>(graph.offsets[i]);
      for (std::int64_t e = from.graph.begin(v); e < from.graph.end(v); ++e) {
        const auto u = static_cast<std::size_t>(from.graph.neighbours[static_cast<std::size_t>(e)]);
        if (part_of[u] != part) continue;
        if (edges_weighted) graph.edge_weights[next] = from.graph.edge_weight(e);
        graph.neighbours[next++] = local[u];
      }
      result.whole[i] = from.whole[static_cast<std::size_t>(v)];
      if (weighted) graph.vertex_weights[i] = from.graph.weight(v);
    }
  });
}

}  // namespace

std::vector<Subgraph> extract(const Subgraph& from, const RawVector<Vertex>& part_of, Vertex parts, ThreadTeam& team) {
  std::vector<Subgraph> result(static_cast<std::size_t>(parts));
  PartLists lists(static_cast<std::size_t>(parts));
  RawVector<Vertex> local(part_of.size());
  for (std::size_t v = 0; v < part_of.size(); ++v) {
    if (part_of[v] < 0) continue;
    const auto p = static_cast<std::size_t>(part_of[v]);
    local[v] = static_cast<Vertex>(lists[p].size());
    lists[p].push_back(static_cast<Vertex>(v));
    result[p].graph.total_weight += from.graph.weight(static_cast<Vertex>(v));
  }
  for (Vertex p = 0; p < parts; ++p) {
    const auto i = static_cast<std::size_t>(p);
    count_edges(from, part_of, lists[i], p, result[i].graph, team);
    fill(from, part_of, local, lists[i], p, result[i], team);
  }
  return result;
}

}  // namespace gpusupernodal::dissection
