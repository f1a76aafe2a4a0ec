#pragma once

/// \file
/// Compression of a graph before dissection: merges indistinguishable rows and removes nearly full ones.

#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// The graph whose vertices are the classes of indistinguishable rows (equal neighbours, each row counted as its own
/// neighbour), without dense rows.
struct CompressedGraph {
  WeightedGraph graph;
  RawVector<std::int64_t> class_begin;  ///< Vertex v consists of rows[class_begin[v] … class_begin[v + 1]−1].
  RawVector<std::int32_t> rows;
  bool is_whole = false;                 ///< Nothing is merged or removed: vertex v is row v.
  std::vector<std::int32_t> dense_rows;  ///< Rows to eliminate last, in this order: by degree, then number.
};

/// Compresses a graph. Precondition: neighbours ascend. Cost O(edges).
CompressedGraph compress(const AdjacencyGraph& graph, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
