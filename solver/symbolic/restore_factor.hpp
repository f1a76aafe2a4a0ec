#pragma once

/// \file
/// The structure of L from an order of elimination and supernodes that an earlier analysis found.

#include <optional>

#include "base/thread_team.hpp"
#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// What of an analysis takes long to find or follows from options; all else follows from it and the pattern.
struct OrderAndSupernodes {
  EliminationOrder old_of_new;
  IdVector<SupernodeId, NewIndex> first_column;  ///< supernodes + 1; the last entry is n.
};

/// The factor that analyze_graph returned with this order and these supernodes for the same graph. Nothing where they cannot
/// have come from the graph: the order is no permutation, or the columns of a supernode are not descendants of its last one.
/// Cost O(|A| α + |rows|).
std::optional<SymbolicFactor> restore_factor(const AdjacencyGraph& graph, OrderAndSupernodes stored, ThreadTeam& team);

}  // namespace gpusupernodal
