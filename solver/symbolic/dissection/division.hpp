#pragma once

/// \file
/// A graph divided by a tree of separators in one descent and one way back: it is coarsened once for all of them.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/multilevel.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A node of a complete binary tree: 1 is the root, the children of t are 2t and 2t + 1. An inner node is a separator, a
/// leaf a part.
using Node = std::uint8_t;
inline constexpr int deepest_division = 5;

/// Depth of a node; the root's is 0.
constexpr int depth_of(Node node) { return std::bit_width(static_cast<unsigned>(node)) - 1; }
/// Whether `low` is `high` or below it.
constexpr bool is_below(Node low, Node high) {
  return depth_of(low) >= depth_of(high) && low >> (depth_of(low) - depth_of(high)) == high;
}
/// The lowest node that both are below.
constexpr Node common_ancestor(Node a, Node b) {
  while (!is_below(a, b)) b >>= 1U;
  return b;
}

/// Where each vertex went. No edge joins vertices of two nodes of which neither is below the other. Parts may be empty.
struct Division {
  int depth = 1;                ///< Of the leaves.
  double price = usual_price;   ///< Of imbalance, for the parts.
  RawVector<Node> node;         ///< Of each vertex.
  Vertex components = 1;        ///< More than 1: `component` says which; there are no nodes.
  RawVector<Vertex> component;  ///< Of each vertex.

  Node first_leaf() const { return static_cast<Node>(1U << static_cast<unsigned>(depth)); }
};

/// Divides a graph into 2^depth parts of about equal weight, or into its components where none has half of the weight.
/// Separators that would have too large a share of what they separate are left out. Depends on graph, depth, seed and
/// company only, not on the team. Precondition: 1 ≤ depth ≤ deepest_division, at least one vertex. Cost O(edges · depth) in
/// expectation.
Division divide_graph(const WeightedGraph& graph, int depth, std::uint64_t seed, ThreadTeam& team,
                      Concurrency company = Concurrency::others, double price = usual_price);

}  // namespace gpusupernodal::dissection
