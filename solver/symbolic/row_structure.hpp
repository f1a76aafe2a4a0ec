#pragma once

/// \file
/// The rows of each supernode's panel.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/permutation.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

struct RowStructure {
  IdVector<SupernodeId, std::int64_t> offset;  ///< supernodes + 1 entries, into `rows`.
  RawVector<NewIndex> rows;                    ///< Rows below each diagonal block, ascending.
};

/// Lists the rows of each supernode: the union of A's rows in its columns and its children's rows, beyond its last column.
/// Preconditions: `permutation` and `forest` are final, and `rows_below` is exact.
/// Cost: O(|A| + |rows|), plus sorting the rows that A and the smaller children add to the largest child's rows. Subtrees
/// run concurrently on the team.
RowStructure list_rows(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest,
                       ThreadTeam& team);

}  // namespace gpusupernodal
