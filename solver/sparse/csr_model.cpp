#include <cmath>

#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

/// Each number of lanes is a kernel of its own: many lanes shorten long rows, few waste none on short ones.
std::vector<LayoutCandidate> csr_candidates(const SparseFeatures& features, const LayoutWish& wish) {
  const bool cuda = wish.backend == Backend::cuda;
  std::vector<LayoutCandidate> result;
  for (const std::int32_t lanes : {2, 4, 8, 16, 32}) {
    if (!cuda && lanes > 2) break;
    StoredShape shape;
    shape.stored_values = features.entries;
    shape.bytes = (4.0 + static_cast<double>(wish.scalar_bytes)) * features.entries + 4.0 * features.rows +
                  vector_bytes(features, wish);
    shape.cached_bytes = gathered_bytes(features, features.entries);
    const double steps = std::ceil(std::max(1.0, features.mean_length) / lanes);
    shape.steps = std::ceil(features.max_length / lanes);
    shape.warps = cuda ? features.rows * lanes / 32.0 : features.rows;
    // Few lanes on long rows read a part of each sector at a time.
    const double split = lanes < 8 && features.mean_length > 3.0 * lanes ? 8.0 / lanes : 1.0;
    shape.warp_steps = cuda ? shape.warps * steps * split : features.entries;
    const RowPattern* const pattern = &features.pattern;
    result.push_back(candidate(Format::csr, cuda ? fmt::format("csr, {} lanes", lanes) : "csr", shape, &ProductFigures::csr,
                               wish, [pattern, lanes] { return make_csr_layout(*pattern, lanes); }));
  }
  return result;
}

}  // namespace gpusupernodal
