#pragma once

/// \file
/// What of a graph need not be dissected: rows that are the same as others, and rows that are nearly full.

#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// The graph of the classes of indistinguishable rows (equal neighbours, themselves included), without the dense ones.
struct CompressedGraph {
  WeightedGraph graph;
  RawVector<std::int64_t> class_begin;  ///< Rows of vertex v: rows[class_begin[v]] to rows[class_begin[v + 1]].
  RawVector<std::int32_t> rows;
  bool is_whole = false;                 ///< Each row is a vertex, by its number.
  std::vector<std::int32_t> dense_rows;  ///< To be eliminated last, in this order: by degree, then number.
};

/// Cost O(edges). Precondition: neighbours ascend.
CompressedGraph compress(const AdjacencyGraph& graph, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
