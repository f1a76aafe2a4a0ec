#include <algorithm>

#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

/// Three launches; no row is too long for it.
std::vector<LayoutCandidate> coo_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  StoredShape shape;
  shape.stored_values = features.entries;
  shape.bytes = (8.0 + static_cast<double>(wish.scalar_bytes)) * features.entries +
                2.0 * static_cast<double>(wish.scalar_bytes) * features.rows + vector_bytes(features, wish);
  const bool cuda = wish.backend == Backend::cuda;
  shape.warps = cuda ? features.entries / 256.0 : features.rows;
  shape.warp_steps = cuda ? features.entries / 32.0 : features.entries;
  const RowPattern* const pattern = &features.pattern;
  return {candidate(Format::coo, "coo", shape, &ProductFigures::coo, wish, [pattern] { return make_coo_layout(*pattern); })};
}

/// ELL as wide as a third of the rows, and COO for what is left.
std::vector<LayoutCandidate> hyb_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  const RowPattern* const pattern = &features.pattern;
  const std::int32_t width = hyb_width(*pattern);
  const auto scalar = static_cast<double>(wish.scalar_bytes);
  double in_ell = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(pattern->rows); ++i)
    in_ell += std::min(width, pattern->offsets[i + 1] - pattern->offsets[i]);
  const double ell = static_cast<double>(width) * features.rows, coo = features.entries - in_ell;
  if (coo == 0.0 && wish.format == Format::automatic) return {};  // ELL alone.
  StoredShape shape;
  shape.stored_values = ell + coo;
  shape.bytes = (2.0 + scalar) * ell + (8.0 + scalar) * coo + vector_bytes(features, wish);
  const bool cuda = wish.backend == Backend::cuda;
  shape.cached_bytes = gathered_bytes(features, features.entries);
  shape.steps = width;
  shape.warps = cuda ? features.rows / 32.0 : features.rows;
  shape.warp_steps = cuda ? (ell + 4.0 * coo) / 32.0 : ell + coo;
  const KernelOfFigures figures = coo > 0.0 ? &ProductFigures::hyb : &ProductFigures::sell;
  return {candidate(Format::hyb, fmt::format("hyb, {} wide", width), shape, figures, wish,
                    [pattern, width] { return make_hyb_layout(*pattern, width); })};
}

}  // namespace gpusupernodal
