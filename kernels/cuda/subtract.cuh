#pragma once

/// \file
/// Maps the entries of an update to their targets and subtracts them there.

#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/tile.cuh"

namespace gpusupernodal::cuda {

/// Special values of ColumnTarget::relative: rows keep their positions, or no rows have been read yet. (Row 0 of a
/// source has no relative row, so the index of the first relative row can be negative.)
inline constexpr std::int64_t same_rows = -(std::int64_t{1} << 62);
inline constexpr std::int64_t no_rows = same_rows + 1;

/// Returns the target of panel column j ≥ width of an update into ancestors.
template <class T>
__device__ ColumnTarget find_target(const FactorData<T>& data, const PanelInfo& panel, int j) {
  const UpdateInfo update = data.updates[data.update_of_row[panel.rows + j - panel.width]];
  const std::int32_t column = data.relative_rows[update.relative + j];
  return {block_of_column(update.target, update.ld, column).index(0, column), update.relative};
}

/// Subtracts a warp's sums by atomic reductions without a result. Valid entries have first ≤ j < col_end and j ≤ i <
/// front. Row 0 and column 0 of the sums are panel row `row` and column `col`; targets[j − col] is the target of column
/// j. Eight lanes share a column, so a reduction covers 64 contiguous bytes in each of four columns if rows are
/// contiguous. Relative rows are read again only when the target changes.
template <class T, int M>
__device__ void subtract_sums(const FactorData<T>& data, const ColumnTarget* targets, int row, int col, int first,
                              int col_end, int front, const TilePlace& place, const T (&acc)[M][4][4]) {
  std::int64_t current = no_rows;
  std::int32_t rows[M][2] = {};
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int j = col + place.col(n, c);
      if (j < first || j >= col_end) continue;
      const ColumnTarget target = targets[j - col];
#pragma unroll
      for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int i = row + place.row(m, h);
          if (i < j || i >= front) continue;
          if (target.relative != current) {
            rows[m][h] = target.relative == same_rows ? i : data.relative_rows[target.relative + i];
          }
          atomic_add(data.values + target.column + rows[m][h], -acc[m][n][2 * h + c]);
        }
      }
      current = target.relative;
    }
  }
}

}  // namespace gpusupernodal::cuda
