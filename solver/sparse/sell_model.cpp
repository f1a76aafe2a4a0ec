#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/common/sparse_arrays.hpp"
#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"
#include "solver/sparse/slice_candidates.hpp"

namespace gpusupernodal {

StoredShape slice_shape(const SparseFeatures& features, const BlockPattern& blocks, const SliceShape& shape,
                        const LayoutWish& wish) {
  const double b = blocks.block;
  const auto stored = static_cast<double>(stored_blocks(blocks, shape));
  StoredShape result;
  result.stored_values = stored * b * b;
  // Deltas have 16 bits almost everywhere; a slice takes 16 bytes.
  result.bytes = static_cast<double>(wish.scalar_bytes) * result.stored_values + 2.0 * stored +
                 16.0 * blocks.rows * shape.lanes / slice_lanes + (shape.window > 1 ? 4.0 * blocks.rows : 0.0) +
                 vector_bytes(features, wish);
  std::int32_t longest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks.rows); ++i)
    longest = std::max(longest, blocks.offsets[i + 1] - blocks.offsets[i]);
  const bool cuda = wish.backend == Backend::cuda;
  result.cached_bytes = gathered_bytes(features, features.entries) / b;
  result.steps = std::ceil(static_cast<double>(longest) / shape.lanes);
  result.warps = cuda ? static_cast<double>(blocks.rows) * shape.lanes / slice_lanes : features.rows;
  result.warp_steps = cuda ? stored / slice_lanes : result.stored_values;
  return result;
}

bool is_sorting_worthwhile(const BlockPattern& blocks, std::int32_t lanes) {
  constexpr double tolerated = 1.03;
  return static_cast<double>(stored_blocks(blocks, {lanes, 1, false})) > tolerated * static_cast<double>(blocks.blocks());
}

std::vector<std::int32_t> lanes_worth_trying(const LayoutWish& wish, double rows, double mean_length) {
  // Enough threads fill a device; more lanes only help while there are fewer.
  constexpr double threads_of_device = 270000.0;
  std::vector<std::int32_t> lanes{1};
  if (wish.backend != Backend::cuda) return lanes;
  for (std::int32_t more = 2; more <= 32 && more <= 2.0 * mean_length && rows * more <= 4.0 * threads_of_device; more *= 2)
    lanes.push_back(more);
  return lanes;
}

std::vector<LayoutCandidate> sell_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  constexpr std::int32_t window = 4096;
  const auto blocks = std::make_shared<const BlockPattern>(make_block_pattern(features.pattern, 1));
  std::vector<LayoutCandidate> result;
  for (const std::int32_t lanes : lanes_worth_trying(wish, features.rows, features.mean_length)) {
    for (const bool sorted : {false, true}) {
      if (sorted && !is_sorting_worthwhile(*blocks, lanes)) continue;
      const SliceShape shape{lanes, sorted ? window : 1, false};
      const StoredShape stored = slice_shape(features, *blocks, shape, wish);
      if (stored.stored_values > most_stored_values(features)) continue;
      const RowPattern* const pattern = &features.pattern;
      result.push_back(candidate(
          Format::sell, fmt::format("sell, {} {}{}", lanes, lanes == 1 ? "lane" : "lanes", sorted ? ", sorted" : ""), stored,
          &ProductFigures::sell, wish, [pattern, blocks, shape] { return make_sell_layout(*pattern, *blocks, shape); }));
    }
  }
  if (result.empty()) return {refused(Format::sell, "padding would more than triple the entries")};
  return result;
}

}  // namespace gpusupernodal
