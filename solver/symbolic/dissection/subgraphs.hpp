#pragma once

/// \file
/// Cutting a graph into the graphs of its parts.

#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A graph cut out of another one, and which vertices of the whole its vertices are.
struct Subgraph {
  WeightedGraph graph;
  RawVector<Vertex> whole;
};

/// The graphs of the parts 0 … parts−1; vertices whose part is −1 are left out. Vertices keep their order. Cost
/// O(edges).
std::vector<Subgraph> extract(const Subgraph& from, const RawVector<Vertex>& part_of, Vertex parts, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
