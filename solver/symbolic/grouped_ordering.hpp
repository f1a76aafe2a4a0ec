#pragma once

/// \file
/// Orders in which groups of rows follow one another.

#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/row_groups.hpp"

namespace gpusupernodal {

/// As choose_order, each group by itself as the options say and the groups one after the other. A group is ordered by the
/// graph that the elimination of the groups before leaves of its rows, but for cliques that would make that graph much
/// larger than A's. The report's method is that of the largest group. A caller's permutation is taken as it is; throws
/// InvalidInput where it has not the groups in their order. Cost O(|A| α(n)) and that of the orderings.
ChosenOrder grouped_order(const AdjacencyGraph& graph, const RowGroups& groups, const SymbolicOptions& options,
                          ThreadTeam& team);

}  // namespace gpusupernodal
