#pragma once

/// \file
/// The division of the panels above the leaf subtrees into block columns and tiles.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// The columns of a panel are cut into block columns of nearly equal width; with ScheduleOptions::cuts_at_borders they are
/// also cut at the borders of the panel's storage (PanelLayout). The rows are cut at the same borders and, below the
/// diagonal block, into pieces with about the area of a square block. Tile (C, r) is row block r of block column C. With c
/// the index of C within its supernode, r ≥ c, and tile (C, c) is the diagonal tile.
class TileGrid {
 public:
  /// Sets schedule.block_columns and first_block_column. Precondition: subtree_of is set.
  TileGrid(const SymbolicFactor& factor, const ScheduleOptions& options, Schedule& schedule);

  /// Borders of the row blocks of supernode s: row block r is rows borders[r] … borders[r+1]−1.
  std::span<const std::int32_t> row_borders(SupernodeId s) const {
    return {borders_.data() + border_offset_[s], static_cast<std::size_t>(border_offset_[s + 1] - border_offset_[s])};
  }
  std::int32_t row_blocks(SupernodeId s) const { return static_cast<std::int32_t>(row_borders(s).size()) - 1; }
  std::int64_t tiles() const { return tiles_; }
  std::int64_t tile(BlockColumnId c, std::int32_t row_block) const { return first_tile_[c] + row_block; }

 private:
  void cut_supernode(const SymbolicFactor& factor, SupernodeId s, const ScheduleOptions& options, Schedule& schedule);

  IdVector<SupernodeId, std::int64_t> border_offset_;
  std::vector<std::int32_t> borders_;
  IdVector<BlockColumnId, std::int64_t> first_tile_;  ///< Index of tile (C, 0), which exists for c = 0 only.
  std::int64_t tiles_ = 0;
};

}  // namespace gpusupernodal
