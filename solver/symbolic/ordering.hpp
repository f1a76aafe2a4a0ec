#pragma once

/// \file
/// Fill-reducing orderings of a graph, each given as the list of old indices in elimination order.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/thread_team.hpp"
#include "gpusupernodal/options.hpp"
#include "solver/common/ids.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/cost_bound.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

using EliminationOrder = IdVector<NewIndex, OldIndex>;

/// Nested dissection [Geo73] of the compressed graph with multilevel separators [KK98]; pieces of some hundred vertices are
/// ordered by minimum degree with their halo [PRA00]. The order depends on the graph and the seed, not on the number of
/// threads. Soon after `*stop` or `*cancel` becomes true the function stops and returns an empty order. Throws
/// std::bad_alloc.
/// Cost: expected O(|A| log n), spread over the team's threads.
EliminationOrder dissection_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team,
                                  const std::atomic<bool>* stop = nullptr, const std::atomic<bool>* cancel = nullptr);

/// Nested dissection by METIS [KK98]. Calls within a process are serialized. Throws InvalidInput if the
/// graph has more neighbours than METIS as built can index, or if this build has no METIS; throws OutOfMemory if METIS runs
/// out of memory. Cost O(|A| log n) with a large constant that dominates the analysis.
EliminationOrder metis_order(const AdjacencyGraph& graph);

/// Approximate minimum degree [ADD96]. Vertices with at most one neighbour are eliminated first, repeatedly; vertices with
/// very many neighbours come last. In a graph of at most 1000 vertices of which a quarter or more then have two neighbours,
/// those are eliminated next, and at most 256 remaining vertices are ordered by exact degree (bit_graph.hpp). Fast on small
/// and on very sparse graphs. Memory: 4.5 bytes per neighbour and about 52 bytes per vertex. Returns an empty order if
/// `keep_going` returned false. Throws std::bad_alloc.
EliminationOrder amd_order(const AdjacencyGraph& graph, const ContinueOrdering& keep_going = {});

/// The order 0, 1, …, n−1.
EliminationOrder natural_order(std::int32_t order);

/// Converts a caller's permutation (old_of_new). Throws InvalidInput with position and value if it is not a permutation.
EliminationOrder user_order(std::int32_t order, std::span<const std::int64_t> permutation);

/// An elimination order, the method that computed it, and the reason for choosing that method.
struct ChosenOrder {
  EliminationOrder order;  ///< Empty if `tree` holds the order.
  Ordering method = Ordering::natural;
  std::string reason;
  std::optional<ColumnTree> tree;  ///< Column tree of the order, if the choice required it.
};

/// Computes the order that `options.ordering` requests; Ordering::automatic calls automatic_order. Soon after `*cancel`
/// becomes true, nested dissection throws Cancelled.
ChosenOrder choose_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                         const std::atomic<bool>* cancel = nullptr);

/// Chooses between the natural order, minimum degree and nested dissection (the rules are in automatic_ordering.cpp). Soon
/// after `*cancel` becomes true it throws Cancelled, or returns an order for which not all candidates were tried.
ChosenOrder automatic_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                            const std::atomic<bool>* cancel = nullptr);

}  // namespace gpusupernodal
