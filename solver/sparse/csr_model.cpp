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
    shape.steps = cuda ? std::ceil(features.max_length / lanes) : 0.0;
    KernelFigures figures{2.3e-6, 1.5e-7, 0.75, 0.0};
    // Lanes beyond the end of a row do nothing, in every step.
    const double used = features.mean_length / (lanes * std::ceil(std::max(1.0, features.mean_length) / lanes));
    figures.entry = 2.0e-12 / std::max(used, 0.02);
    if (!cuda) figures = {2.0e-6, 0.0, 0.8, 4.0e-11};
    const RowPattern* const pattern = &features.pattern;
    result.push_back(candidate(Format::csr, cuda ? fmt::format("csr, {} lanes", lanes) : "csr", shape, figures, wish,
                               [pattern, lanes] { return make_csr_layout(*pattern, lanes); }));
  }
  return result;
}

}  // namespace gpusupernodal
