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
  shape.warps = cuda ? stride / 32.0 : features.rows;
  shape.warp_steps = cuda ? shape.warps * width : shape.stored_values;
  const KernelFigures figures = cuda ? KernelFigures{2.89e-6, 2.14e-7, pattern->symmetric ? 0.821 : 0.95, 9.1e-12, 3.93e-11}
                                     : KernelFigures{2.0e-6, 0.0, 0.85, 0.0, pattern->symmetric ? 3.0e-11 : 1.5e-11};
  return {candidate(Format::dia,
                    fmt::format("dia, {} diagonals{}", diagonals->size(), pattern->symmetric ? " of a half" : ""), shape,
                    figures, wish, [pattern, diagonals] { return make_dia_layout(*pattern, *diagonals); })};
}

}  // namespace gpusupernodal
