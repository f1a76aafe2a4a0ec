#include "solver/sparse/block_pattern.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace gpusupernodal {
namespace {

/// Calls visit(block column) for the blocks of a block row, ascending, each once.
template <class Visit>
void for_each_block(const RowPattern& pattern, std::int32_t block, std::int32_t block_row, std::vector<std::int32_t>& next,
                    const Visit& visit) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const auto first_row = static_cast<std::size_t>(block_row) * static_cast<std::size_t>(block);
  for (std::size_t r = 0; r < next.size(); ++r) next[r] = pattern.offsets[first_row + r];
  while (true) {
    std::int32_t column = none;
    for (std::size_t r = 0; r < next.size(); ++r) {
      if (next[r] < pattern.offsets[first_row + r + 1])
        column = std::min(column, pattern.index[static_cast<std::size_t>(next[r])] / block);
    }
    if (column == none) return;
    visit(column);
    for (std::size_t r = 0; r < next.size(); ++r) {
      while (next[r] < pattern.offsets[first_row + r + 1] &&
             pattern.index[static_cast<std::size_t>(next[r])] / block == column)
        ++next[r];
    }
  }
}

}  // namespace

BlockPattern make_block_pattern(const RowPattern& pattern, std::int32_t block) {
  BlockPattern result;
  result.block = block;
  result.rows = pattern.rows / block;
  result.columns = pattern.columns / block;
  if (block == 1) {
    result.offsets = pattern.offsets;
    result.index = pattern.index;
    return result;
  }
  result.offsets.reserve(static_cast<std::size_t>(result.rows) + 1);
  result.offsets.push_back(0);
  std::vector<std::int32_t> next(static_cast<std::size_t>(block));
  for (std::int32_t i = 0; i < result.rows; ++i) {
    for_each_block(pattern, block, i, next, [&](std::int32_t column) { result.index.push_back(column); });
    result.offsets.push_back(static_cast<std::int32_t>(result.index.size()));
  }
  return result;
}

double sampled_blocks_per_entry(const RowPattern& pattern, std::int32_t block) {
  constexpr std::int32_t most_rows = 20000;
  const std::int32_t block_rows = pattern.rows / block;
  const std::int32_t step = std::max(1, block_rows / most_rows);
  std::int64_t blocks = 0, entries = 0;
  std::vector<std::int32_t> next(static_cast<std::size_t>(block));
  for (std::int32_t i = 0; i < block_rows; i += step) {
    for_each_block(pattern, block, i, next, [&](std::int32_t) { ++blocks; });
    entries += pattern.offsets[static_cast<std::size_t>(i + 1) * static_cast<std::size_t>(block)] -
               pattern.offsets[static_cast<std::size_t>(i) * static_cast<std::size_t>(block)];
  }
  return entries == 0 ? 1.0 : static_cast<double>(blocks) / static_cast<double>(entries);
}

}  // namespace gpusupernodal
