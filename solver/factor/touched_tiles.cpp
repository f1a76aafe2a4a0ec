#include "solver/factor/touched_tiles.hpp"

#include <algorithm>

#include "solver/factor/task_flops.hpp"

namespace gpusupernodal {

UpdatePart part_of_update(std::span<const std::int32_t> relative, std::int32_t columns, std::int32_t row_begin,
                          std::int32_t row_end, std::int32_t column_begin, std::int32_t column_end) {
  const auto position = [](auto begin, auto end, std::int32_t value) { return std::lower_bound(begin, end, value); };
  const auto first = relative.begin();
  UpdatePart part;
  part.column_first = static_cast<std::int32_t>(position(first, first + columns, column_begin) - first);
  part.column_last = static_cast<std::int32_t>(position(first + part.column_first, first + columns, column_end) - first);
  part.row_first = static_cast<std::int32_t>(position(first, relative.end(), row_begin) - first);
  part.row_last = static_cast<std::int32_t>(position(first + part.row_first, relative.end(), row_end) - first);
  return part;
}

TouchedTiles::TouchedTiles(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid,
                           const Schedule& schedule, SupernodeId target)
    : factor_(factor),
      updates_(updates),
      grid_(grid),
      schedule_(schedule),
      target_(target),
      block_columns_(schedule.blocks_of(target).size()),
      row_blocks_(grid.row_blocks(target)),
      flops_(static_cast<std::size_t>(block_columns_) * static_cast<std::size_t>(row_blocks_)) {}

/// Lists the rows of an update by row block, ascending.
void TouchedTiles::find_runs(std::span<const std::int32_t> relative) {
  const auto borders = grid_.row_borders(target_);
  runs_.clear();
  auto border = borders.begin();
  for (auto row = relative.begin(); row != relative.end();) {
    border = std::upper_bound(border, borders.end(), *row);
    const auto end = std::lower_bound(row, relative.end(), *border);
    runs_.push_back({static_cast<std::int32_t>(border - borders.begin()) - 1, static_cast<std::int32_t>(end - row)});
    row = end;
  }
}

void TouchedTiles::add(const Update& update) {
  const auto rows = static_cast<std::size_t>(factor_.rows_below(update.source) - update.row_begin);
  find_runs({updates_.relative_rows.data() + update.relative, rows});
  const double depth = factor_.width(update.source);
  // The first row blocks coincide with the block columns.
  for (auto columns = runs_.begin(); columns != runs_.end() && columns->block < block_columns_; ++columns) {
    const double n = columns->count;
    for (auto run = columns; run != runs_.end(); ++run) {
      const std::int32_t tile = columns->block * row_blocks_ + run->block;
      double& flops = flops_[static_cast<std::size_t>(tile)];
      if (flops == 0.0) candidates_.push_back(tile);
      flops += run == columns ? syrk_flops(n, depth) : gemm_flops(run->count, n, depth);
    }
  }
}

std::span<const TouchedTiles::Touched> TouchedTiles::by(UpdateId begin, UpdateId end) {
  touched_.clear();
  candidates_.clear();
  for (UpdateId u : IdRange<UpdateId>(begin, end)) add(updates_.updates[u]);
  std::sort(candidates_.begin(), candidates_.end());
  for (std::int32_t tile : candidates_) {
    double& flops = flops_[static_cast<std::size_t>(tile)];
    touched_.push_back({schedule_.first_block_column[target_] + tile / row_blocks_, tile % row_blocks_, flops});
    flops = 0.0;
  }
  return touched_;
}

}  // namespace gpusupernodal
