#include "solver/symbolic/dissection/subgraphs.hpp"

#include <cstddef>
#include <utility>

#include "base/parallel_lists.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t subgraph_grain = 4096;
/// With more parts, vertices are listed on one thread.
constexpr Vertex max_counted_parts = 64;
/// Smaller parts are not worth a separate task.
constexpr std::size_t subgraph_task = 2000;

/// For each part, its vertices as numbered in the graph that it is extracted from.
using PartLists = std::vector<RawVector<Vertex>>;

/// Lists each part's vertices in ascending order, and sets the number of each vertex in its part.
PartLists list_parts(const RawVector<Vertex>& part_of, Vertex parts, RawVector<Vertex>& local, ThreadTeam& team) {
  const auto n = static_cast<std::int64_t>(part_of.size());
  ThreadTeam one(1);
  const Runs runs(n, parts <= max_counted_parts ? team : one);
  const auto count = static_cast<std::size_t>(parts);
  std::vector<Vertex> next(static_cast<std::size_t>(runs.runs()) * count, 0);
  const auto each = [&](std::size_t run, std::int64_t begin, std::int64_t end, const auto& visit) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
      if (part_of[v] >= 0)
        visit(v, static_cast<std::size_t>(part_of[v]), next[run * count + static_cast<std::size_t>(part_of[v])]);
    }
  };
  runs.each([&](std::size_t run, std::int64_t begin, std::int64_t end) {
    each(run, begin, end, [](std::size_t, std::size_t, Vertex& of_part) { ++of_part; });
  });
  PartLists lists(count);
  for (std::size_t p = 0; p < count; ++p) {
    Vertex sum = 0;
    for (std::size_t run = 0; run < static_cast<std::size_t>(runs.runs()); ++run)
      sum += std::exchange(next[run * count + p], sum);
    lists[p].resize(static_cast<std::size_t>(sum));
  }
  runs.each([&](std::size_t run, std::int64_t begin, std::int64_t end) {
    each(run, begin, end, [&](std::size_t v, std::size_t p, Vertex& of_part) {
      local[v] = of_part;
      lists[p][static_cast<std::size_t>(of_part++)] = static_cast<Vertex>(v);
    });
  });
  return lists;
}

std::int64_t weight_of(const WeightedGraph& graph, const RawVector<Vertex>& vertices) {
  if (graph.vertex_weights.empty()) return static_cast<std::int64_t>(vertices.size());
  std::int64_t weight = 0;
  for (const Vertex v : vertices) weight += graph.weight(v);
  return weight;
}

void count_edges(const Subgraph& from, const RawVector<Vertex>& part_of, const RawVector<Vertex>& vertices, Vertex part,
                 WeightedGraph& graph, ThreadTeam& team) {
  graph.offsets.resize(vertices.size() + 1);
  graph.offsets[0] = 0;
  team.for_intervals(static_cast<std::int64_t>(vertices.size()), subgraph_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t edges = 0;
      for (const Vertex u : from.graph.of(vertices[static_cast<std::size_t>(k)])) {
        edges += part_of[static_cast<std::size_t>(u)] == part ? 1 : 0;
      }
      graph.offsets[static_cast<std::size_t>(k) + 1] = edges;
    }
  });
  add_up(graph.offsets.data(), static_cast<std::int64_t>(graph.offsets.size()), team);
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
  team.for_intervals(static_cast<std::int64_t>(vertices.size()), subgraph_grain, [&](std::int64_t begin, std::int64_t end) {
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
  RawVector<Vertex> local(part_of.size());
  const PartLists lists = list_parts(part_of, parts, local, team);
  TaskGroup group(team);
  for (Vertex p = 0; p < parts; ++p) {
    const auto i = static_cast<std::size_t>(p);
    const auto work = [&, p, i] {
      result[i].graph.total_weight = weight_of(from.graph, lists[i]);
      count_edges(from, part_of, lists[i], p, result[i].graph, team);
      fill(from, part_of, local, lists[i], p, result[i], team);
    };
    if (p + 1 < parts && lists[i].size() >= subgraph_task) {
      group.run(work);
    } else {
      work();
    }
  }
  group.wait();
  return result;
}

}  // namespace gpusupernodal::dissection
