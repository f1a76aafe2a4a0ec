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
  IdVector<SupernodeId, std::int64_t> offset;  ///< supernodes + 1
  RawVector<NewIndex> rows;                    ///< Below the diagonal block, ascending.
};

/// Rows of a supernode: those of A in its columns and those of its children, beyond its last column.
/// Preconditions: `permutation` and `forest` are the final ones and `rows_below` is exact.
/// Cost O(|A| + |rows|), but for sorting what A and the smaller children add to the largest child's rows; subtrees on
/// several threads.
RowStructure list_rows(const AdjacencyGraph& graph, const Permutation& permutation, const SupernodeForest& forest,
                       ThreadTeam& team);

}  // namespace gpusupernodal
