#include <algorithm>
#include <array>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {
namespace {

constexpr std::array<std::pair<Format, FormatModel>, 7> models{{{Format::coo, coo_candidates},
                                                                {Format::csr, csr_candidates},
                                                                {Format::dia, dia_candidates},
                                                                {Format::ell, ell_candidates},
                                                                {Format::hyb, hyb_candidates},
                                                                {Format::sell, sell_candidates},
                                                                {Format::block, block_candidates}}};

}  // namespace

SparseFeatures::SparseFeatures(const RowPattern& p)
    : pattern(p),
      rows(static_cast<double>(p.rows)),
      columns(static_cast<double>(p.columns)),
      entries(static_cast<double>(p.entries())),
      mean_length(p.rows == 0 ? 0.0 : entries / rows) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.rows); ++i)
    max_length = std::max(max_length, static_cast<double>(p.offsets[i + 1] - p.offsets[i]));
}

MachineFigures machine_figures(Backend backend) {
  // An H200 (bench/notebook/operators.md), and sixteen cores of a server.
  return backend == Backend::cuda ? MachineFigures{4.5e12, 7.0e12, 3.5e7} : MachineFigures{1.5e11, 6.0e11, 2.0e7};
}

double predicted_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine) {
  const double cached = std::min(shape.bytes, machine.cache_bytes);
  // A matrix twice as large as the cache leaves nothing there: each part is evicted before it comes again.
  const double kept = cached * std::clamp(2.0 - shape.bytes / machine.cache_bytes, 0.0, 1.0);
  const double moving = kept / machine.cache_rate + (shape.bytes - kept) / machine.memory_rate;
  return kernel.start + kernel.step * shape.steps + std::max(moving / kernel.efficiency, kernel.entry * shape.stored_values);
}

double most_stored_values(const SparseFeatures& features) { return std::max(4096.0, 3.0 * features.entries); }

LayoutCandidate refused(Format format, std::string reason) {
  LayoutCandidate result;
  result.format = format;
  result.kernel = name_of(format);
  result.refusal = std::move(reason);
  return result;
}

LayoutCandidate candidate(Format format, std::string kernel, const StoredShape& shape, const KernelFigures& figures,
                          const LayoutWish& wish, std::function<SparseLayout()> make) {
  LayoutCandidate result;
  result.format = format;
  result.kernel = std::move(kernel);
  result.shape = shape;
  result.seconds = predicted_seconds(shape, figures, machine_figures(wish.backend));
  result.make = std::move(make);
  return result;
}

double vector_bytes(const SparseFeatures& features, const LayoutWish& wish) {
  return static_cast<double>(wish.scalar_bytes) * (features.rows + features.columns);
}

std::vector<LayoutCandidate> layout_candidates(const RowPattern& pattern, const LayoutWish& wish) {
  const SparseFeatures features(pattern);
  std::vector<LayoutCandidate> all;
  for (const auto& [format, model] : models) {
    if (wish.format != Format::automatic && wish.format != format) continue;
    for (LayoutCandidate& one : model(features, wish)) all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const LayoutCandidate& a, const LayoutCandidate& b) {
    return std::pair(!a.refusal.empty(), a.seconds) < std::pair(!b.refusal.empty(), b.seconds);
  });
  return all;
}

SparseLayout make_layout(const RowPattern& pattern, const LayoutWish& wish) {
  const std::vector<LayoutCandidate> all = layout_candidates(pattern, wish);
  if (!all.front().refusal.empty())
    fail<InvalidInput>("the matrix cannot be stored in the format {}: {}", name_of(wish.format), all.front().refusal);
  return all.front().make();
}

}  // namespace gpusupernodal
