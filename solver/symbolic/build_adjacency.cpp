#include <algorithm>

#include "base/parallel_lists.hpp"
#include "solver/common/index_dispatch.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/pattern_chunks.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int64_t grain = 4096;
/// Builds the graph from the entries of the stored triangle in storage order. Each entry is an edge between its outer vertex
/// (the column or row that is compressed) and its inner vertex. A vertex's own edges are those of which it is the outer one.
class Adjacency {
 public:
  Adjacency(const PatternView& pattern, ThreadTeam& team)
      : pattern_(pattern),
        team_(team),
        chunks_(pattern, team),
        own_last_((pattern.part == StoredPart::upper) != (pattern.compression == Compression::columns)) {}

  AdjacencyGraph run() {
    const auto n = static_cast<std::size_t>(pattern_.n);
    graph_.order = static_cast<std::int32_t>(pattern_.n);
    graph_.offsets.assign(n + 1, 0);
    own_.resize(n);
    count_.resize(n * static_cast<std::size_t>(chunks_.count()));
    chunks_.each([&](std::int64_t chunk) { count(chunk); });
    set_offsets();
    chunks_.each([&](std::int64_t chunk) { fill(chunk); });
    sort_neighbours();
    return std::move(graph_);
  }

 private:
  std::int32_t& count_of(std::int64_t chunk, std::int64_t v) {
    return count_[static_cast<std::size_t>(chunk * pattern_.n + v)];
  }
  std::int32_t& own(std::int64_t v) { return own_[static_cast<std::size_t>(v)]; }

  /// Calls `edge(outer, inner)` for every used off-diagonal entry of a chunk, in ascending order of outer.
  template <class Edge>
  void for_each_edge(std::int64_t chunk, Edge&& edge) {
    const bool full = pattern_.part == StoredPart::full;
    const bool by_columns = pattern_.compression == Compression::columns;
    with_index_pointers(pattern_.offsets, pattern_.indices, [&](auto offsets, auto indices) {
      for (std::int64_t outer = chunks_.border(chunk), end = chunks_.border(chunk + 1); outer < end; ++outer) {
        for (std::int64_t position = offsets[outer]; position < offsets[outer + 1]; ++position) {
          const std::int64_t inner = indices[position];
          const bool skipped = full && (inner > outer) != by_columns;
          if (inner != outer && !skipped) edge(outer, inner);
        }
      }
    });
  }

  void count(std::int64_t chunk) {
    std::fill_n(&count_of(chunk, 0), pattern_.n, 0);
    std::fill_n(own_.begin() + chunks_.border(chunk), chunks_.border(chunk + 1) - chunks_.border(chunk), 0);
    for_each_edge(chunk, [&](std::int64_t outer, std::int64_t inner) {
      ++own(outer);
      ++count_of(chunk, inner);
    });
  }

  /// Converts counts to positions within each vertex's list. A list begins with the edges from other columns if these are
  /// lower vertices, else with the vertex's own edges. Lists therefore ascend if the stored columns do.
  void set_offsets() {
    team_.for_intervals(pattern_.n, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const std::int32_t own_edges = own(v);
        std::int32_t next = own_last_ ? 0 : own_edges;
        for (std::int64_t chunk = 0; chunk < chunks_.count(); ++chunk) {
          const std::int32_t edges = count_of(chunk, v);
          count_of(chunk, v) = next;
          next += edges;
        }
        own(v) = own_last_ ? next : 0;
        graph_.offsets[static_cast<std::size_t>(v) + 1] = own_last_ ? next + own_edges : next;
      }
    });
    add_up(graph_.offsets.data(), static_cast<std::int64_t>(graph_.offsets.size()), team_);
    graph_.neighbours.resize(static_cast<std::size_t>(graph_.offsets.back()));
  }

  void fill(std::int64_t chunk) {
    const auto put = [&](std::int64_t v, std::int32_t place, std::int64_t neighbour) {
      graph_.neighbours[static_cast<std::size_t>(graph_.offsets[static_cast<std::size_t>(v)] + place)] = OldIndex(neighbour);
    };
    for_each_edge(chunk, [&](std::int64_t outer, std::int64_t inner) {
      put(outer, own(outer)++, inner);
      put(inner, count_of(chunk, inner)++, outer);
    });
  }

  void sort_neighbours() {
    team_.for_intervals(pattern_.n, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const auto first = graph_.neighbours.begin() + graph_.offsets[static_cast<std::size_t>(v)];
        const auto last = graph_.neighbours.begin() + graph_.offsets[static_cast<std::size_t>(v) + 1];
        if (!std::is_sorted(first, last)) std::sort(first, last);
      }
    });
  }

  const PatternView& pattern_;
  ThreadTeam& team_;
  PatternChunks chunks_;
  bool own_last_;
  AdjacencyGraph graph_;
  RawVector<std::int32_t> own_;    ///< Per outer vertex: number of its edges, later the next free position.
  RawVector<std::int32_t> count_;  ///< Per chunk and inner vertex: the same for the edges from other columns.
};

}  // namespace

AdjacencyGraph build_adjacency(const PatternView& pattern, ThreadTeam& team) {
  if (pattern.n > 0 && pattern.entries() > 0) return Adjacency(pattern, team).run();
  AdjacencyGraph graph;
  graph.order = static_cast<std::int32_t>(pattern.n);
  graph.offsets.assign(static_cast<std::size_t>(pattern.n) + 1, 0);
  return graph;
}

AdjacencyGraph build_adjacency(const PatternView& pattern) {
  ThreadTeam one(1);
  return build_adjacency(pattern, one);
}

}  // namespace gpusupernodal
