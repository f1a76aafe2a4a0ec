#pragma once

/// \file
/// Task records that kernels read: one small record per warp or CTA. Planners write them before the numerical values
/// are known. A panel has `front` rows, the first `width` of which are the diagonal block, and is stored as column-major
/// block columns (panel_blocks.hpp). All counts are in elements; rows and columns are positions within the panel. The
/// columns that a task writes lie in one block column, except those of a product into ancestors. Plain C++.

#include <cstdint>
#include <limits>

#include "kernels/common/panel_blocks.hpp"
#include "kernels/common/solve_records.hpp"
#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal::cuda {

/// Alignment of arrays in shared memory, in bytes: one row of all banks. Adjacent small variables would otherwise
/// shift them.
inline constexpr int shared_alignment = 128;

struct PanelInfo {
  std::int64_t offset = 0;        ///< Index of the panel's first value.
  std::int64_t rows = 0;          ///< Index of its first row below the diagonal block in the concatenated row lists.
  std::int32_t first_column = 0;  ///< First column of the panel in the whole matrix.
  std::int32_t width = 0;
  std::int32_t front = 0;
  std::int32_t ld = 0;  ///< Leading dimension of the first block column.
};

/// Returns the block column of a panel that contains `column`.
constexpr PanelBlock block_of(const PanelInfo& panel, std::int32_t column) {
  return block_of_column(panel.offset, panel.ld, column);
}

/// Maps rows of a source panel to one target panel: row i of the source is row relative_rows[relative + i] of the
/// target.
struct UpdateInfo {
  std::int64_t target = 0;  ///< Offset of the target panel's first value.
  std::int64_t relative = 0;
  std::int32_t ld = 0;  ///< Leading dimension of the target panel's first block column.
  std::int32_t unused = 0;
};

/// Factorizes a whole front. A CTA stores the panel in shared memory with leading dimension `stride`: rows below padded
/// to 32, then 4 more than a multiple of 8. A warp uses a fixed leading dimension instead.
struct FrontTask {
  std::int32_t panel = 0;
  std::int32_t stride = 0;
};

/// Factorizes columns column … column+width−1 of a panel's diagonal block after subtracting the product of the `before`
/// preceding columns (0 or tile_size).
struct DiagonalTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t before = 0;
};

/// Solves with the triangle of columns column … column+width−1 for rows row … min(row+63, front−1) below it.
struct TrsmTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t row = 0;
};

/// Computes one tile, with corner (row, col), of the product of columns column … column+depth−1 with their own
/// transpose. Valid entries have first ≤ j < col_end and j ≤ i < front. If col_end ≤ width they are subtracted at (i, j)
/// of the same panel, otherwise from the ancestors named by update_of_row.
struct ProductTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t depth = 0;
  std::int32_t row = 0;
  std::int32_t col = 0;
  std::int32_t first = 0;
  std::int32_t col_end = 0;
};

/// Merges the inverses of columns column … column+half−1 and of the following `width` columns into the inverse of both.
struct MergeInversesTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t half = 0;
  std::int32_t width = 0;
};

/// Sources of the contributions to one row of a front: the non-negative positions at the beginning of `first`. If
/// `more` is not negative, gather_more[more] further positions follow at gather_more[more + 1].
struct alignas(16) RowSources {
  std::int32_t first[3];
  std::int32_t more;
};

/// Values of bad_entry and failed_column in DeviceStatus while nothing has failed.
inline constexpr std::int64_t no_entry = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int32_t no_column = std::numeric_limits<std::int32_t>::max();
/// Value of smallest_pivot_key before any pivot.
inline constexpr std::uint64_t no_pivot_key = std::numeric_limits<std::uint64_t>::max();

/// Input and outcome of a factorization.
struct DeviceStatus {
  const void* values = nullptr;  ///< A's values on the device.
  double scale = 1.0;            ///< Factor that A's values are multiplied by.
  std::int64_t bad_entry = 0;    ///< Smallest index of a value of A that is not finite.
  double bad_value = 0.0;
  double failed_pivot = 0.0;
  std::uint64_t smallest_pivot = 0;  ///< Bit pattern of a non-negative double; these order as integers.
  std::uint64_t largest_pivot = 0;
  std::int32_t failed_column = 0;
  std::int32_t replaced_pivots = 0;  ///< LU, LDLᵀ: pivots that were too small.
  // LU and LDLᵀ only. Bit patterns of non-negative doubles:
  std::uint64_t largest_in_a = 0;        ///< Largest magnitude in the scaled A.
  std::uint64_t largest_in_lu = 0;       ///< Largest product of a column of L and the row of U with the same number; for
                                         ///< LDLᵀ, U is D·Lᵀ.
  std::uint64_t smallest_pivot_key = 0;  ///< Orders pivots by magnitude, then by column, which are its low 32 bits.
  std::int32_t negative_pivots = 0;      ///< LDLᵀ only.
};

/// Number of 32-bit words in which sweeps that scale a symmetric matrix of order n leave what they find.
constexpr std::int64_t scaling_words(std::int64_t n, std::int64_t sweeps) { return 2 * n + sweeps; }

}  // namespace gpusupernodal::cuda
