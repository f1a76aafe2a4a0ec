#pragma once

/// \file
/// How a panel is stored: as block columns of at most panel_block columns, each without the rows above its own diagonal
/// square. Kernels call these functions too, so they are constexpr. Plain C++.

#include <cstdint>

namespace gpusupernodal {

/// Columns of a panel's block columns; the last one may have fewer. A power of two.
inline constexpr std::int32_t panel_block = 512;

/// One block column in an array of values: entry (i, j) of the panel lies at origin + i + j·ld, for every column j of
/// the block column and every row i from the block column's first column on. `origin` is where entry (0, 0) would lie;
/// it belongs to another block column, or to another panel, except in the first block column.
struct PanelBlock {
  std::int64_t origin = 0;
  std::int64_t ld = 0;

  constexpr std::int64_t index(std::int64_t i, std::int64_t j) const { return origin + i + j * ld; }
};

/// Returns the block column that contains `column`. The panel's first value lies at `offset`, and its first block
/// column has leading dimension `ld`.
///
/// With c = panel_block, block column b stores rows c·b … of columns c·b …, so its leading dimension is ld − c·b. It
/// begins where the preceding one ends, at offset + Σ c·(ld − c·k) over k < b. Going back c·b rows and c·b columns gives
/// origin = offset + c²·b(b+1)/2 − c·b.
constexpr PanelBlock block_of_column(std::int64_t offset, std::int32_t ld, std::int32_t column) {
  const std::int64_t b = column / panel_block;
  return {offset + std::int64_t{panel_block} * panel_block / 2 * b * (b + 1) - panel_block * b, ld - panel_block * b};
}

/// Returns how much earlier an entry lies than the preceding block column, continued, would have it: an entry `ahead`
/// columns after the border, in any row.
constexpr std::int32_t gap_at_border(std::int32_t ahead) { return (1 + ahead) * panel_block; }

/// Returns the first row that the block column of `column` stores, which is also its first column.
constexpr std::int32_t first_of_block(std::int32_t column) { return column / panel_block * panel_block; }

/// Returns the index after the last value of a panel of `width` columns.
constexpr std::int64_t end_of_panel(std::int64_t offset, std::int32_t ld, std::int32_t width) {
  if (width == 0) return offset;
  const std::int32_t first = first_of_block(width - 1);
  return block_of_column(offset, ld, width - 1).index(first, width);
}

}  // namespace gpusupernodal
