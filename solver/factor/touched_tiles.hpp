#pragma once

/// \file
/// Which tiles of a supernode a range of updates writes, and with how many operations.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/tile_grid.hpp"

namespace gpusupernodal {

/// Rows and columns of an update that fall in rows [row_begin, row_end) and columns [column_begin, column_end) of the
/// target's panel: rows row_first … row_last−1 and columns column_first … column_last−1, counted within the update.
struct UpdatePart {
  std::int32_t row_first = 0;
  std::int32_t row_last = 0;
  std::int32_t column_first = 0;
  std::int32_t column_last = 0;

  bool empty() const { return row_first == row_last || column_first == column_last; }
};

/// Cost O(log rows). `relative` are the update's relative rows, `columns` of which are columns of the target.
UpdatePart part_of_update(std::span<const std::int32_t> relative, std::int32_t columns, std::int32_t row_begin,
                          std::int32_t row_end, std::int32_t column_begin, std::int32_t column_end);

/// Finds the tiles of supernode `target` that updates write.
class TouchedTiles {
 public:
  TouchedTiles(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid, const Schedule& schedule,
               SupernodeId target);

  struct Touched {
    BlockColumnId column;
    std::int32_t row_block = 0;
    double flops = 0.0;
  };
  /// Tiles written by updates begin … end−1, ascending; valid until the next call.
  std::span<const Touched> by(UpdateId begin, UpdateId end);

 private:
  /// Rows of an update that fall in one row block.
  struct Run {
    std::int32_t block = 0;
    std::int32_t count = 0;
  };

  void find_runs(std::span<const std::int32_t> relative);
  void add(const Update& update);

  const SymbolicFactor& factor_;
  const UpdateList& updates_;
  const TileGrid& grid_;
  const Schedule& schedule_;
  SupernodeId target_;
  std::int32_t block_columns_;
  std::int32_t row_blocks_;
  std::vector<double> flops_;             ///< Of each tile, block_columns × row_blocks; 0: not touched.
  std::vector<Run> runs_;                 ///< Of the update at hand.
  std::vector<std::int32_t> candidates_;  ///< Tiles with flops_ > 0.
  std::vector<Touched> touched_;
};

}  // namespace gpusupernodal
