#pragma once

/// \file
/// Coarsening: clusters vertices and contracts each cluster to one vertex of a coarser graph.

#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Clusters as linked lists that start at their leaders, which are their lowest vertices. −1 ends a list.
struct Clustering {
  RawVector<Vertex> next;
  RawVector<Vertex> leaders;  ///< Leaders of all clusters, ascending.

  Vertex clusters() const { return static_cast<Vertex>(leaders.size()); }
};

struct ClusteringLimits {
  std::int64_t heaviest = 0;  ///< Maximum weight of a cluster of two or more vertices.
  int rounds_of_pairing = 1;  ///< Clusters have at most 2^rounds_of_pairing vertices.
  /// Below this number of clusters, pairs are chosen sequentially on one thread, which takes half of the work.
  std::size_t one_by_one_below = 15'000;
};

/// Pairs vertices, then pairs of vertices and so on, along heavy edges: in each round, an edge that is the heaviest at both
/// ends is matched [Preis99]; a hash of the edge breaks ties. Where many vertices are left without a free neighbour (stars),
/// two that share a neighbour are paired [LaSalle15]. The result does not depend on the number of threads. Expected cost
/// O(edges).
Clustering cluster_vertices(const WeightedGraph& graph, const ClusteringLimits& limits, std::uint64_t seed,
                            ThreadTeam& team);

/// The graph of the clusters, and the coarse vertex of each fine vertex.
struct CoarseGraph {
  WeightedGraph graph;
  RawVector<Vertex> coarse_of;
};

/// Contracts each cluster to one vertex and adds the weights. Coarse vertices keep the order of the leaders. Cost O(edges).
CoarseGraph contract(const WeightedGraph& graph, const Clustering& clustering, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
