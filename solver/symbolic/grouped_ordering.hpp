#pragma once

/// \file
/// Elimination orders in which each group of rows is eliminated after the preceding groups.

#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/row_groups.hpp"

namespace gpusupernodal {

/// Orders each group with choose_order and concatenates the results. The graph of a group is the one that eliminating the
/// preceding groups leaves on its rows, without those cliques that would make it much larger than A's graph. The returned
/// method and reason are those of the largest group. A caller's permutation is used unchanged; throws InvalidInput if it
/// does not keep the groups in order. `cancel` acts as in choose_order. Cost: O(|A| α(n)) plus the orderings.
ChosenOrder grouped_order(const AdjacencyGraph& graph, const RowGroups& groups, const SymbolicOptions& options,
                          ThreadTeam& team, const std::atomic<bool>* cancel = nullptr);

}  // namespace gpusupernodal
