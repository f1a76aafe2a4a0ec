#pragma once

/// \file
/// The linear assignment problem on a sparse matrix, by shortest augmenting paths.

#include <cstdint>
#include <limits>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

/// A cost that an entry cannot have: the entry does not exist.
constexpr double no_entry = std::numeric_limits<double>::infinity();

/// A matching of largest size and the potentials that prove that its cost is least: every entry (i, j) has
/// cost − row_potential[i] − column_potential[j] ≥ 0, with equality where it is matched. Rows and columns without
/// entries have potential 0.
struct Assignment {
  std::vector<std::int32_t> row_of_column;  ///< −1: the column is not matched.
  std::vector<std::int32_t> column_of_row;  ///< −1: the row is not matched.
  std::int32_t size = 0;                    ///< Number of matched columns.
  std::vector<double> row_potential;
  std::vector<double> column_potential;
};

/// Returns a matching of the largest size whose cost is least among all matchings of the same rows and columns. Matches
/// diagonal entries first where the first potentials allow it. Deterministic. Equality and inequality above are exact if
/// no sum of costs along a path is rounded, otherwise up to rounding.
/// Precondition: `costs` has a number ≥ 0, or no_entry, for each entry of `a`.
/// Algorithm: [DK01], a Dijkstra search for each column that the first, greedy matching leaves over. What a search without
/// success has reached is not searched again.
/// Cost: O(n·nnz·log n) in the worst case; in practice a few times O(nnz). Memory: 50 bytes per row besides the heap.
Assignment least_cost_assignment(const ColumnEntries& a, const RawVector<double>& costs);

}  // namespace gpusupernodal
