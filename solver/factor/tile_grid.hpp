#pragma once

/// \file
/// How the panels above the leaf subtrees are cut into block columns and tiles.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// The columns of a panel are cut into block columns of nearly equal width, with ScheduleOptions::cuts_at_borders also where
/// the panel's storage has a border (PanelLayout). The rows are cut at the same borders and, below the
/// diagonal block, into pieces of about the area of a square block. Tile (C, r) is row block r of block column C, r ≥ C's
/// place among its supernode's block columns (r equal to it: the diagonal tile).
class TileGrid {
 public:
  /// Fills schedule.block_columns and first_block_column. Precondition: subtree_of is filled.
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
  IdVector<BlockColumnId, std::int64_t> first_tile_;  ///< Of row block 0, which exists for the first block column only.
  std::int64_t tiles_ = 0;
};

}  // namespace gpusupernodal
