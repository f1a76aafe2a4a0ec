#pragma once

/// \file
/// Fill-reducing orderings of a graph, each as the list of old indices in the order of elimination.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/common/ids.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/least_cost.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

using EliminationOrder = IdVector<NewIndex, OldIndex>;

/// Nested dissection [Geo73] by multilevel separators [KK98] of the compressed graph, its pieces of some hundred vertices by
/// minimum degree with their halo [PRA00]. The order depends on the graph and the seed, not on the number of threads.
/// Throws std::bad_alloc. Cost O(|A| log n) in expectation, spread over the team's threads. When `*stop` is set it breaks
/// off soon and returns an empty order.
EliminationOrder dissection_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team,
                                  const std::atomic<bool>* stop = nullptr);

/// METIS' nested dissection [KK98], one call at a time in the process. Throws InvalidInput if the graph has more neighbours
/// than METIS as built can index, or if this build has no METIS; OutOfMemory. Cost O(|A| log n) with a large constant: it dominates the analysis.
EliminationOrder metis_order(const AdjacencyGraph& graph);

/// Approximate minimum degree [ADD96] of what is left after the vertices of one neighbour and none. Vertices of very many
/// neighbours go last. In graphs of at most 1000 vertices, a quarter of which or more have two neighbours then, those go
/// first as well, and 256 and fewer that are left are ordered by exact degrees (bit_graph.hpp). Fast on small and on very
/// sparse graphs. Memory: 4.5 bytes a neighbour and some 52 a vertex. Empty where `goes_on` ended it. Throws std::bad_alloc.
EliminationOrder amd_order(const AdjacencyGraph& graph, const GoesOn& goes_on = {});

/// 0, 1, …, n−1.
EliminationOrder natural_order(std::int32_t order);

/// Checks a caller's permutation (old_of_new). Throws InvalidInput with position and value.
EliminationOrder user_order(std::int32_t order, std::span<const std::int64_t> permutation);

/// An order, which method made it, and why that one.
struct ChosenOrder {
  EliminationOrder order;  ///< Empty where `tree` holds it.
  Ordering method = Ordering::natural;
  std::string reason;
  std::optional<ColumnTree> tree;  ///< Of the order, where it was needed for the choice.
};

/// Does what `options.ordering` says; `automatic` compares (automatic_ordering.cpp says what).
ChosenOrder choose_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team);

/// The rule of Ordering::automatic.
ChosenOrder automatic_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team);

}  // namespace gpusupernodal
