#pragma once

/// \file
/// What LU on dense storage needs on the host besides the values of L and U.

#include <algorithm>
#include <cstdint>

#include "solver/factor/dense_panel_columns.hpp"
#include "solver/factor/dense_structure.hpp"

namespace gpusupernodal {

/// Columns that one thread updates at a time.
inline constexpr std::int32_t dense_tile = 64;
static_assert(dense_panel_columns % dense_tile == 0);  // The columns before a panel are dealt out in whole tiles.

/// Numbers of elements of the arrays of one executor.
struct DenseWorkspace {
  DenseWorkspace(const DenseStructure& dense, int workers)
      : tile_of_u(std::int64_t{std::min(dense.n, dense_tile)} * dense.panel * std::max(workers, 1)),
        rows_of_l(std::int64_t{dense.n} * dense.panel),
        columns(std::int64_t{std::min(dense.n, dense_tile)} * std::max(workers, 1)),
        pattern_words((dense.n + 63) / 64 * std::int64_t{dense.n}),
        order(dense.n) {}

  std::int64_t tile_of_u;      ///< Scalars: a tile of U, transposed, for each worker.
  std::int64_t rows_of_l;      ///< Scalars: the rows of a panel that are not zero.
  std::int64_t columns;        ///< Integers: the columns of a tile that are not zero, for each worker.
  std::int64_t pattern_words;  ///< 64-bit words: a bit for each entry.
  std::int64_t order;          ///< Integers: counts of entries by row; exchanges; rows of a panel that are not zero.

  /// Bytes besides the vectors of a solve.
  std::int64_t bytes(std::int64_t bytes_of_scalar) const {
    return (tile_of_u + rows_of_l) * bytes_of_scalar + pattern_words * std::int64_t{sizeof(std::uint64_t)} +
           (columns + 3 * order) * std::int64_t{sizeof(std::int32_t)};
  }
};

}  // namespace gpusupernodal
