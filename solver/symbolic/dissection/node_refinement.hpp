#pragma once

/// \file
/// Makes the separators of a divided graph better, from the root down.

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/division.hpp"
#include "solver/symbolic/dissection/separation.hpp"

namespace gpusupernodal::dissection {

/// Weight of the vertices of each node.
using NodeWeights = std::array<std::int64_t, std::size_t{2} << static_cast<unsigned>(deepest_division)>;

/// Weight of a node with all below it.
std::int64_t weight_below(const NodeWeights& weights, Node node, int depth);

/// A separator as a refinement left it, and all that came into it meanwhile.
struct RefinedSeparation {
  Separation separation;
  std::vector<Vertex> came_in;
};

/// Refines each separator within what is below its node; separators of one depth at the same time. Keeps `weights` up to
/// date. The same on any number of threads. `price`: of imbalance. `root`: the first separator after its refinement where
/// that is known, from the same sides as the division has.
void refine_nodes(const WeightedGraph& graph, Division& division, NodeWeights& weights, const RefinerEffort& effort,
                  std::uint64_t seed, ThreadTeam& team, double price = usual_price, const RefinedSeparation* root = nullptr);

}  // namespace gpusupernodal::dissection
