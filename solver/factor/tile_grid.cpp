#include "solver/factor/tile_grid.hpp"

#include <algorithm>

#include "solver/factor/panel_layout.hpp"

namespace gpusupernodal {
namespace {

/// Returns borders, without the initial 0, that cut `length` into pieces of nearly equal size. Borders of long pieces are
/// multiples of 8.
void append_borders(std::int32_t length, std::int64_t piece, std::int32_t shift, std::vector<std::int32_t>& borders) {
  const std::int64_t pieces = (length + piece - 1) / piece;
  const std::int64_t unit = length >= 64 * pieces ? 8 : 1;
  for (std::int64_t i = 1; i < pieces; ++i) {
    borders.push_back(shift + static_cast<std::int32_t>(length * i / pieces / unit * unit));
  }
  if (length > 0) borders.push_back(shift + length);
}

}  // namespace

TileGrid::TileGrid(const SymbolicFactor& factor, const ScheduleOptions& options, Schedule& schedule) {
  const auto supernodes = static_cast<std::size_t>(factor.supernodes());
  border_offset_.assign(supernodes + 1, 0);
  schedule.first_block_column.assign(supernodes + 1, BlockColumnId(0));
  for (SupernodeId s : factor.supernode_ids()) {
    if (!schedule.in_subtree(s)) cut_supernode(factor, s, options, schedule);
    border_offset_[s + 1] = static_cast<std::int64_t>(borders_.size());
    schedule.first_block_column[s + 1] = BlockColumnId(static_cast<std::int64_t>(schedule.block_columns.size()));
  }
}

void TileGrid::cut_supernode(const SymbolicFactor& factor, SupernodeId s, const ScheduleOptions& options,
                             Schedule& schedule) {
  const std::int32_t block_width = options.block_width;
  const std::size_t begin = borders_.size();
  borders_.push_back(0);
  const auto cut = [&](std::int32_t first, std::int32_t last) {
    append_borders(last - first, std::max(block_width, 8), first, borders_);
  };
  if (options.cuts_at_borders) {
    for_each_panel_block(0, factor.width(s), cut);
  } else {
    cut(0, factor.width(s));
  }
  const std::size_t columns_end = borders_.size();
  const std::int64_t height =
      std::max<std::int64_t>(8, std::int64_t{block_width} * block_width / std::min(factor.width(s), block_width));
  append_borders(factor.rows_below(s), height, factor.width(s), borders_);
  const auto row_blocks = static_cast<std::int64_t>(borders_.size() - begin) - 1;
  for (std::size_t b = begin; b + 1 < columns_end; ++b) {
    schedule.block_columns.push_back({s, borders_[b], borders_[b + 1] - borders_[b]});
    first_tile_.push_back(tiles_);
    tiles_ += row_blocks;
  }
}

}  // namespace gpusupernodal
