#include <algorithm>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/index_dispatch.hpp"

namespace gpusupernodal {
namespace {

/// Calls `edge(outer, inner)` for every off-diagonal entry of the half that is read, outer ascending.
template <class Edge>
void for_each_edge(const PatternView& pattern, Edge&& edge) {
  if (pattern.n == 0 || pattern.entries() == 0) return;
  const bool full = pattern.part == StoredPart::full;
  const bool by_columns = pattern.compression == Compression::columns;
  with_index_pointers(pattern.offsets, pattern.indices, [&](auto offsets, auto indices) {
    for (std::int64_t outer = 0; outer < pattern.n; ++outer) {
      for (std::int64_t position = offsets[outer]; position < offsets[outer + 1]; ++position) {
        const std::int64_t inner = indices[position];
        const bool skipped = full && (inner > outer) != by_columns;
        if (inner != outer && !skipped) edge(outer, inner);
      }
    }
  });
}

std::vector<std::int64_t> count_neighbours(const PatternView& pattern) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(pattern.n) + 1, 0);
  for_each_edge(pattern, [&](std::int64_t outer, std::int64_t inner) {
    ++offsets[static_cast<std::size_t>(outer) + 1];
    ++offsets[static_cast<std::size_t>(inner) + 1];
  });
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) offsets[i + 1] += offsets[i];
  return offsets;
}

bool neighbours_ascend(const AdjacencyGraph& graph) {
  for (OldIndex i : IdRange<OldIndex>(graph.order)) {
    const auto neighbours = graph.of(i);
    if (!std::is_sorted(neighbours.begin(), neighbours.end())) return false;
  }
  return true;
}

/// The graph is its own transpose, and a transpose by counting comes out sorted.
void sort_neighbours(AdjacencyGraph& graph) {
  std::vector<OldIndex> sorted(graph.neighbours.size());
  std::vector<std::int64_t> cursor(graph.offsets.begin(), graph.offsets.end() - 1);
  for (OldIndex i : IdRange<OldIndex>(graph.order)) {
    for (OldIndex j : graph.of(i)) sorted[static_cast<std::size_t>(cursor[static_cast<std::size_t>(j.value)]++)] = i;
  }
  graph.neighbours.swap(sorted);
}

}  // namespace

AdjacencyGraph build_adjacency(const PatternView& pattern) {
  AdjacencyGraph graph;
  graph.order = static_cast<std::int32_t>(pattern.n);
  graph.offsets = count_neighbours(pattern);
  graph.neighbours.resize(static_cast<std::size_t>(graph.offsets.back()));
  std::vector<std::int64_t> cursor(graph.offsets.begin(), graph.offsets.end() - 1);
  for_each_edge(pattern, [&](std::int64_t outer, std::int64_t inner) {
    graph.neighbours[static_cast<std::size_t>(cursor[static_cast<std::size_t>(outer)]++)] = OldIndex(inner);
    graph.neighbours[static_cast<std::size_t>(cursor[static_cast<std::size_t>(inner)]++)] = OldIndex(outer);
  });
  // With sorted input the lists are sorted already: what is below i was added by earlier columns, what is above by its own.
  if (!neighbours_ascend(graph)) sort_neighbours(graph);
  return graph;
}

}  // namespace gpusupernodal
