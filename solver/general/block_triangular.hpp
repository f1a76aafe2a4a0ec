#pragma once

/// \file
/// The block triangular form of a general matrix.

#include <cstdint>
#include <vector>

#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

/// Numbers the diagonal blocks of the block upper triangular form of B, where row j of B is row row_of_column[j] of A: the
/// strongly connected components of B's graph [DR78]. Entry (i, j) of B then has block[i] ≤ block[j].
struct BlockTriangularForm {
  std::vector<std::int32_t> block;  ///< Block of each column of B, and of the row with the same number.
  std::int32_t blocks = 0;
};

/// Finds the blocks by Tarjan's depth-first search. The pattern alone counts; the diagonal counts as full. Precondition:
/// row_of_column is a permutation. Cost: O(n + nnz), without recursion.
BlockTriangularForm block_triangular_form(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column);

}  // namespace gpusupernodal
