#include <algorithm>
#include <memory>

#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"
#include "solver/sparse/slice_candidates.hpp"

namespace gpusupernodal {

/// Blocks of 2, 3 and 6 rows whose sample is at most half empty.
std::vector<LayoutCandidate> block_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  const bool cuda = wish.backend == Backend::cuda;
  constexpr std::int32_t window = 1024;
  const RowPattern* const pattern = &features.pattern;
  std::vector<LayoutCandidate> result;
  for (const std::int32_t b : {2, 3, 6}) {
    if (pattern->rows % b != 0 || pattern->columns % b != 0) continue;
    if (sampled_blocks_per_entry(*pattern, b) * b * b > (wish.format == Format::block ? 3.0 : 1.5)) continue;
    const auto blocks = std::make_shared<const BlockPattern>(make_block_pattern(*pattern, b));
    const double mean = blocks->rows == 0 ? 0.0 : static_cast<double>(blocks->blocks()) / blocks->rows;
    for (const std::int32_t lanes : lanes_worth_trying(wish, blocks->rows, mean)) {
      for (const bool sorted : {false, true}) {
        if (sorted && !is_sorting_worthwhile(*blocks, lanes)) continue;
        const SliceShape shape{lanes, sorted ? window : 1, false};
        StoredShape stored = slice_shape(features, *blocks, shape, wish);
        if (stored.stored_values > most_stored_values(features)) continue;
        if (cuda) {  // A step is a whole block.
          stored.steps *= b;
          stored.warp_steps *= b * b;
        } else {
          stored.warps = stored.stored_values / (b * b);
        }
        result.push_back(candidate(
            Format::block,
            fmt::format("block, {} by {}, {} {}{}", b, b, lanes, lanes == 1 ? "lane" : "lanes", sorted ? ", sorted" : ""),
            stored, &ProductFigures::block, wish,
            [pattern, blocks, shape] { return make_sell_layout(*pattern, *blocks, shape); }));
      }
    }
  }
  if (!result.empty()) return result;
  return {
      refused(Format::block, "no blocks of 2, 3 or 6 divide its rows and columns without more than tripling the entries")};
}

}  // namespace gpusupernodal
