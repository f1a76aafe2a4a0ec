#pragma once

/// \file
/// Refines the separators of a divided graph from the root down.

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/division.hpp"
#include "solver/symbolic/dissection/separation.hpp"

namespace gpusupernodal::dissection {

/// Total weight of the vertices of each node.
using NodeWeights = std::array<std::int64_t, std::size_t{2} << static_cast<unsigned>(max_division_depth)>;

/// Total weight of a node and its descendants.
std::int64_t weight_below(const NodeWeights& weights, Node node, int depth);

/// A refined separator, and all vertices that entered it during the refinement.
struct RefinedSeparation {
  Separation separation;
  std::vector<Vertex> entered;
};

/// Refines each separator within the subgraph of its node and descendants; separators of one depth are refined concurrently.
/// Updates `weights`. `price` is the price of imbalance. If `root` is given, it replaces the refinement of the root
/// separator; it must have been refined from the sides that the division has. The result does not depend on the team.
void refine_nodes(const WeightedGraph& graph, Division& division, NodeWeights& weights, const RefinerEffort& effort,
                  std::uint64_t seed, ThreadTeam& team, double price = usual_price, const RefinedSeparation* root = nullptr);

}  // namespace gpusupernodal::dissection
