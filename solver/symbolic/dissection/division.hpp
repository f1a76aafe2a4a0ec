#pragma once

/// \file
/// Divides a graph by a tree of separators in one multilevel pass: the graph is coarsened once for all separators.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/multilevel.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// A node of a complete binary tree: the root is 1, the children of t are 2t and 2t + 1. Inner nodes are separators, leaves
/// are parts.
using Node = std::uint8_t;
inline constexpr int max_division_depth = 5;

/// Depth of a node; 0 for the root.
constexpr int depth_of(Node node) { return std::bit_width(static_cast<unsigned>(node)) - 1; }
/// Whether `low` is `high` or one of its descendants.
constexpr bool is_below(Node low, Node high) {
  return depth_of(low) >= depth_of(high) && low >> (depth_of(low) - depth_of(high)) == high;
}
/// The lowest common ancestor of two nodes.
constexpr Node common_ancestor(Node a, Node b) {
  while (!is_below(a, b)) b >>= 1U;
  return b;
}

/// The node of each vertex. Edges connect only vertices of one node, or of a node and an ancestor. Parts may be empty.
struct Division {
  int depth = 1;                ///< Depth of the leaves.
  double price = usual_price;   ///< Price of imbalance for dividing the parts further.
  RawVector<Node> node;         ///< Node of each vertex.
  Vertex components = 1;        ///< If more than 1, `component` is set instead of `node`.
  RawVector<Vertex> component;  ///< Component of each vertex.

  Node first_leaf() const { return static_cast<Node>(1U << static_cast<unsigned>(depth)); }
};

/// Divides a graph into 2^depth parts of about equal weight, or into its components if none has more than half of the
/// weight. Omits separators that are too large a share of what they separate. The result does not depend on the team.
/// Preconditions: 1 ≤ depth ≤ max_division_depth, at least one vertex. Expected cost O(edges · depth).
Division divide_graph(const WeightedGraph& graph, int depth, std::uint64_t seed, ThreadTeam& team,
                      Concurrency concurrency = Concurrency::others, double price = usual_price);

}  // namespace gpusupernodal::dissection
