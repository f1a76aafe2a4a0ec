#pragma once

/// \file
/// Extracts the subgraphs of the parts of a graph.

#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A subgraph, and the vertex of the whole graph for each of its vertices.
struct Subgraph {
  WeightedGraph graph;
  RawVector<Vertex> whole;
};

/// Extracts the subgraphs of parts 0 … parts−1; omits vertices of part −1. Vertices keep their order. Cost O(edges).
std::vector<Subgraph> extract(const Subgraph& from, const RawVector<Vertex>& part_of, Vertex parts, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
