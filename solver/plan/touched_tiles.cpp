#include "solver/plan/touched_tiles.hpp"

#include <algorithm>

#include "solver/plan/task_flops.hpp"

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

void TouchedTiles::add(const Update& update) {
  const auto borders = grid_.row_borders(target_);
  const auto rows = static_cast<std::size_t>(factor_.rows_below(update.source) - update.row_begin);
  const std::span<const std::int32_t> relative{updates_.relative_rows.data() + update.relative, rows};
  const double depth = factor_.width(update.source);
  for (std::int32_t c = 0; c < block_columns_; ++c) {
    for (std::int32_t r = c; r < row_blocks_; ++r) {
      const auto i = static_cast<std::size_t>(r);
      const auto j = static_cast<std::size_t>(c);
      const UpdatePart part =
          part_of_update(relative, update.columns(), borders[i], borders[i + 1], borders[j], borders[j + 1]);
      if (part.column_first == part.column_last) break;
      if (part.empty()) continue;
      const double m = part.row_last - part.row_first;
      const double n = part.column_last - part.column_first;
      double& flops = flops_[j * static_cast<std::size_t>(row_blocks_) + i];
      if (flops == 0.0) candidates_.push_back(c * row_blocks_ + r);
      flops += r == c ? syrk_flops(n, depth) : gemm_flops(m, n, depth);
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
