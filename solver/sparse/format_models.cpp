#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/thread_team.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/format.hpp"
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

/// Sectors of four doubles, for at most 256 groups of 32 rows that are spread evenly.
double sampled_gather_sectors(const RowPattern& p) {
  constexpr std::int32_t group = 32, most_groups = 256, entries_of_sector = 4;
  std::int64_t sectors = 0, entries = 0;
  std::vector<std::int32_t> touched;
  const std::int32_t groups = p.rows / group, step = std::max(1, groups / most_groups);
  for (std::int32_t g = 0; g < groups; g += step) {
    std::int32_t longest = 0;
    const auto first = static_cast<std::size_t>(g) * group;
    for (std::size_t i = first; i < first + group; ++i) longest = std::max(longest, p.offsets[i + 1] - p.offsets[i]);
    for (std::int32_t k = 0; k < std::min(longest, 256); ++k) {
      touched.clear();
      for (std::size_t i = first; i < first + group; ++i) {
        if (p.offsets[i] + k < p.offsets[i + 1])
          touched.push_back(p.index[static_cast<std::size_t>(p.offsets[i] + k)] / entries_of_sector);
      }
      entries += static_cast<std::int64_t>(touched.size());
      std::sort(touched.begin(), touched.end());
      sectors += std::unique(touched.begin(), touched.end()) - touched.begin();
    }
  }
  return entries == 0 ? 0.25 : static_cast<double>(sectors) / static_cast<double>(entries);
}

}  // namespace

SparseFeatures::SparseFeatures(const RowPattern& p)
    : pattern(p),
      rows(static_cast<double>(p.rows)),
      columns(static_cast<double>(p.columns)),
      entries(static_cast<double>(p.entries())),
      mean_length(p.rows == 0 ? 0.0 : entries / rows),
      gather_sectors(sampled_gather_sectors(p)) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.rows); ++i)
    max_length = std::max(max_length, static_cast<double>(p.offsets[i + 1] - p.offsets[i]));
}

MachineFigures machine_figures(Backend backend) { return built_in_figures(backend).machine; }

int product_workers(double stored_values, double pieces, int threads) {
  // Fewer stored values are multiplied by one thread faster than others are woken.
  constexpr double least_values_of_worker = 16384.0;
  const double most = std::clamp(pieces, 1.0, static_cast<double>(worker_count(threads)));
  return static_cast<int>(std::clamp(stored_values / least_values_of_worker, 1.0, most));
}

double one_worker_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine) {
  StoredShape one = shape;
  one.workers = 1;
  return predicted_seconds(one, kernel, machine);
}

double predicted_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine) {
  // A matrix twice as large as the cache leaves nothing there: each part is evicted before it comes again.
  const double kept =
      std::min(shape.bytes, machine.cache_bytes) * std::clamp(2.0 - shape.bytes / machine.cache_bytes, 0.0, 1.0);
  const double workers = shape.workers, cache_rate = machine.cache_rate * workers;
  const double memory_rate =
      machine.thread_rate > 0.0 ? std::min(machine.memory_rate, machine.thread_rate * workers) : machine.memory_rate;
  const double memory = (shape.bytes - kept) / memory_rate + kept / cache_rate;
  const double cache = (shape.bytes + shape.cached_bytes) / cache_rate;
  const double moving = std::max(memory, cache) / kernel.efficiency;
  const double running = (kernel.warp * shape.warps + kernel.warp_step * shape.warp_steps) / workers;
  const double waiting = kernel.step * shape.steps;
  constexpr double sharpness = 3.0;
  return kernel.start + machine.wake * (workers - 1.0) +
         std::pow(std::pow(moving, sharpness) + std::pow(running, sharpness) + std::pow(waiting, sharpness),
                  1.0 / sharpness);
}

double most_stored_values(const SparseFeatures& features) { return std::max(4096.0, 3.0 * features.entries); }

LayoutCandidate refused(Format format, std::string reason) {
  LayoutCandidate result;
  result.format = format;
  result.kernel = name_of(format);
  result.refusal = std::move(reason);
  return result;
}

LayoutCandidate candidate(Format format, std::string kernel, const StoredShape& shape, KernelOfFigures figures,
                          const LayoutWish& wish, std::function<SparseLayout()> make) {
  LayoutCandidate result;
  result.format = format;
  result.kernel = std::move(kernel);
  result.shape = shape;
  result.figures = figures;
  if (wish.backend != Backend::cuda) result.shape.workers = product_workers(shape.stored_values, shape.pieces, wish.threads);
  const ProductFigures& all = wish.figures ? *wish.figures : built_in_figures(wish.backend);
  result.seconds = predicted_seconds(result.shape, all.*figures, all.machine);
  result.one_worker_seconds = one_worker_seconds(result.shape, all.*figures, all.machine);
  result.make = std::move(make);
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  if (shape.stored_values > most)
    result.refusal = fmt::format("it would store {:.0f} values, more than {:.0f}", shape.stored_values, most);
  return result;
}

double gathered_bytes(const SparseFeatures& features, double entries) {
  // What lies next to each other in x is in L1 already.
  return 32.0 * std::max(0.0, features.gather_sectors - 0.25) * entries;
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
    return std::pair(!a.refusal.empty(), a.one_worker_seconds) < std::pair(!b.refusal.empty(), b.one_worker_seconds);
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
