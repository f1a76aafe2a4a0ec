#pragma once

/// \file
/// Where a matrix has entries, counted in square cells, and how long its rows are.

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal::cli {

/// Numbers of entries in square cells of the matrix, both triangles of a symmetric one.
struct CellCounts {
  int cells = 0;                     ///< In each direction.
  std::vector<std::int64_t> counts;  ///< cells × cells, by rows.

  std::int64_t largest() const;
};

/// Counts in at most `max_cells` × `max_cells` cells. Row i of A stands in row new_of_old[i] of the picture; an empty
/// `new_of_old` keeps the order of A. Preconditions: the pattern is valid; a view with part lower or upper is symmetric.
/// Cost: O(nnz).
CellCounts count_cells(const MatrixView<double>& a, const std::vector<std::int64_t>& new_of_old, int max_cells);

/// The inverse of a permutation.
std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation);

/// The counts as text, one character for each cell: '0' for none, else '1' to '9' by the logarithm of the count; `largest`
/// has '9'.
std::string shades_of(const CellCounts& cells, std::int64_t largest);

/// Rows with `from` to `to` entries.
struct RowLengthBin {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t rows = 0;
};

/// Numbers of entries of the rows of A.
struct RowLengths {
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  double mean = 0.0;
  std::vector<RowLengthBin> bins;  ///< At most 24 of equal width, without gaps; they contain all rows.
};

/// Preconditions and cost as those of count_cells.
RowLengths row_lengths(const MatrixView<double>& a);

}  // namespace gpusupernodal::cli
