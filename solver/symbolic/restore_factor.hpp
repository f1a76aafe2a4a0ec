#pragma once

/// \file
/// Rebuilds the structure of L from the elimination order and the supernodes of an earlier analysis.

#include <optional>

#include "base/thread_team.hpp"
#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// The results of an analysis that are expensive or depend on options. Together with the pattern they determine the rest.
struct OrderAndSupernodes {
  EliminationOrder old_of_new;
  IdVector<SupernodeId, NewIndex> first_column;  ///< supernodes + 1 entries; the last one is n.
};

/// Returns the factor that analyze_graph returned for this graph with this order and these supernodes. Returns nullopt if
/// they cannot belong to the graph: the order is not a permutation, or columns of a supernode are not descendants of its
/// last column. Cost O(|A| α + |rows|).
std::optional<SymbolicFactor> restore_factor(const AdjacencyGraph& graph, OrderAndSupernodes stored, ThreadTeam& team);

}  // namespace gpusupernodal
