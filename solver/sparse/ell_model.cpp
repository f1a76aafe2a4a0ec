#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"
#include "solver/sparse/slice_candidates.hpp"

namespace gpusupernodal {

/// The kernel and its figures are those of SELL, which beats it or ties with it wherever rows differ, so the bound on
/// padding is all that matters.
std::vector<LayoutCandidate> ell_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  const double stored = features.max_length * (features.rows + 31.0);
  if (stored > most_stored_values(features)) {
    return {refused(Format::ell, fmt::format("its longest row has {} entries, but the mean has {:.3g}",
                                             static_cast<std::int64_t>(features.max_length), features.mean_length))};
  }
  const RowPattern* const pattern = &features.pattern;
  const SliceShape shape{1, 1, true};
  return {candidate(Format::ell, "ell", slice_shape(features, make_block_pattern(*pattern, 1), shape, wish),
                    &ProductFigures::sell, wish,
                    [pattern, shape] { return make_sell_layout(*pattern, make_block_pattern(*pattern, 1), shape); })};
}

}  // namespace gpusupernodal
