#pragma once

/// \file
/// Finds the tiles of a supernode that updates write, and the number of operations per tile.

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

/// `relative`: the relative rows of the update, of which the first `columns` are columns of the target. Cost O(log rows).
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
  /// Returns the tiles that updates begin … end−1 write, ascending; valid until the next call.
  std::span<const Touched> by(UpdateId begin, UpdateId end);

 private:
  /// Rows of an update in one row block.
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
  std::vector<double> flops_;             ///< Flops of each tile, block_columns × row_blocks; 0: not written.
  std::vector<Run> runs_;                 ///< Runs of the current update.
  std::vector<std::int32_t> candidates_;  ///< Tiles with flops_ > 0.
  std::vector<Touched> touched_;
};

}  // namespace gpusupernodal
