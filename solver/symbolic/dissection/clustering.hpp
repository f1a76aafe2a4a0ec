#pragma once

/// \file
/// Which vertices of a graph become one vertex of a coarser graph.

#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Clusters as chains: the leader is the least vertex, next leads on from it; −1 ends.
struct Clustering {
  RawVector<Vertex> next;
  RawVector<Vertex> leaders;  ///< Of all clusters, ascending.

  Vertex clusters() const { return static_cast<Vertex>(leaders.size()); }
};

struct ClusteringLimits {
  std::int64_t heaviest = 0;  ///< No cluster of two or more weighs more.
  int rounds_of_pairing = 1;  ///< Clusters have at most 2 to this power vertices.
  /// Fewer clusters choose one after the other, which is for one thread and takes half of the work.
  std::size_t one_by_one_below = 15'000;
};

/// Pairs vertices, then pairs of them, along heavy edges: an edge that is the heaviest at both its ends is taken, round
/// after round [Preis99]; equal weights are told apart by a hash of the edge. Where many are left
/// without a free neighbour (stars), two that share a neighbour are paired [LaSalle15]. The same on any number of
/// threads. Cost O(edges) in expectation.
Clustering cluster_vertices(const WeightedGraph& graph, const ClusteringLimits& limits, std::uint64_t seed,
                            ThreadTeam& team);

/// The graph of the clusters, and which of its vertices each vertex went into.
struct CoarseGraph {
  WeightedGraph graph;
  RawVector<Vertex> coarse_of;
};

/// Weights add up. The coarse vertices are in the order of their leaders. Cost O(edges).
CoarseGraph contract(const WeightedGraph& graph, const Clustering& clustering, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
