#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/common/sparse_arrays.hpp"
#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

std::vector<LayoutCandidate> dia_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  const bool cuda = wish.backend == Backend::cuda;
  const RowPattern* const pattern = &features.pattern;
  const auto stride = static_cast<double>(diagonal_stride(pattern->rows));
  const double most = stride > 0.0 ? most_stored_values(features) / stride : 0.0;
  const auto diagonals =
      std::make_shared<const RawVector<std::int32_t>>(diagonals_of(*pattern, static_cast<std::int64_t>(most)));
  if (diagonals->empty() && features.entries > 0.0)
    return {refused(Format::dia, fmt::format("its entries lie on more than {} diagonals", static_cast<std::int64_t>(most)))};
  StoredShape shape;
  const auto width = static_cast<double>(diagonals->size());
  shape.stored_values = stride * width;
  shape.bytes = static_cast<double>(wish.scalar_bytes) * shape.stored_values + vector_bytes(features, wish);
  if (pattern->symmetric) shape.cached_bytes = static_cast<double>(wish.scalar_bytes) * stride * (width - 1.0);
  shape.steps = width;
  if (cuda) {
    shape.warps = stride / 32.0;
    shape.warp_steps = shape.warps * width;
  } else {
    // Each diagonal but the main one of a half is used twice. A row is also cleared and stored.
    const double passes = pattern->symmetric ? std::max(2.0 * width - 1.0, 0.0) : width;
    shape.warps = passes * std::ceil(features.rows / diagonal_rows_at_once);
    shape.warp_steps = (passes + 2.0) * features.rows;
    shape.pieces = std::min(shape.pieces, std::floor(features.rows / static_cast<double>(least_diagonal_rows)));
  }
  const KernelOfFigures figures = pattern->symmetric ? &ProductFigures::dia_half : &ProductFigures::dia;
  return {candidate(Format::dia,
                    fmt::format("dia, {} diagonals{}", diagonals->size(), pattern->symmetric ? " of a half" : ""), shape,
                    figures, wish, [pattern, diagonals] { return make_dia_layout(*pattern, *diagonals); })};
}

}  // namespace gpusupernodal
