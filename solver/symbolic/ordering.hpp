#pragma once

/// \file
/// Fill-reducing orderings of a graph, each as the list of old indices in the order of elimination.

#include <cstdint>
#include <span>
#include <string>

#include "gpusupernodal/options.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/ids.hpp"

namespace gpusupernodal {

using EliminationOrder = IdVector<NewIndex, OldIndex>;

/// Whether METIS, as built, can index the graph.
bool metis_can_order(const AdjacencyGraph& graph);

/// METIS' nested dissection [KK98], one call at a time in the process. Throws InvalidInput where !metis_can_order(graph),
/// OutOfMemory. Cost O(|A| log n) with a large constant: it dominates the analysis.
EliminationOrder metis_order(const AdjacencyGraph& graph);

/// Approximate minimum degree, by Eigen's code. Fast on small and on very sparse graphs. Throws std::bad_alloc.
EliminationOrder amd_order(const AdjacencyGraph& graph);

/// 0, 1, …, n−1.
EliminationOrder natural_order(std::int32_t order);

/// Checks a caller's permutation (old_of_new). Throws InvalidInput with position and value.
EliminationOrder user_order(std::int32_t order, std::span<const std::int64_t> permutation);

/// An order, which method made it, and why that one.
struct ChosenOrder {
  EliminationOrder order;
  Ordering method = Ordering::natural;
  std::string reason;
};

/// Does what `ordering` says; `automatic` compares (automatic_ordering.cpp says what).
ChosenOrder choose_order(const AdjacencyGraph& graph, Ordering ordering, std::span<const std::int64_t> permutation);

/// The rule of Ordering::automatic.
ChosenOrder automatic_order(const AdjacencyGraph& graph);

}  // namespace gpusupernodal
