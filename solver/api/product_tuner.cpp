#include <algorithm>
#include <iterator>
#include <utility>

#include "base/thread_team.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/tuning.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/measured_products.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/api/sparse_checks.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/built.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/product_fit.hpp"

namespace gpusupernodal {
namespace {

Backend tuned_backend(const TuneOptions& options) {
  Options checked;
  checked.backend = options.backend;
  checked.threads = options.threads;
  checked.device = options.device;
  check_options(checked);
  if (options.rounds < 1 || options.rounds > 1000) fail<InvalidInput>("rounds is {}; it must be 1 to 1000", options.rounds);
  if (!allows_device(checked)) return Backend::host;
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available)
    fail<BackendUnavailable>("the CUDA backend was requested, but {}; set the backend to host or automatic", cuda.reason);
  return Backend::cuda;
}

/// The products of one matrix with one number of threads are one choice.
std::string choice_name(const std::string& matrix, int threads) {
  return fmt::format("{} with {} threads", matrix, threads);
}

TuneErrors errors_of(const std::vector<ProductSample>& samples, const ProductFigures& figures) {
  const ProductErrors errors = product_errors(samples, figures);
  return {errors.median, errors.error_90, errors.mean_regret, errors.max_regret};
}

}  // namespace

struct ProductTuner::Impl {
  TuneOptions options;
  Backend backend = Backend::host;
  std::vector<ProductSample> samples;
  std::vector<TunedProduct> products;  ///< Products of `samples`, without predictions.
  TuneReport report;
  ProductFigures figures;
  bool is_fitted = false;

  /// Numbers of threads to measure with.
  std::vector<int> threads() const {
    const int all = backend == Backend::cuda ? 1 : worker_count(options.threads);
    return all == 1 ? std::vector<int>{1} : std::vector<int>{1, all};
  }

  double measured(const LayoutCandidate& candidate, int workers) const {
    const SparseLayout layout = candidate.make();
    const ApplyOptions apply_options{workers, options.device, nullptr, nullptr};
    if constexpr (built_with<double>()) {
      const auto apply = backend == Backend::cuda ? make_cuda_apply<double>(layout, apply_options)
                                                  : make_host_apply<double>(layout, apply_options);
      const std::vector<double> zeros(
          static_cast<std::size_t>(std::max({layout.input_values, apply->rows(), apply->columns()})));
      apply->update(zeros.data(), MemorySpace::host);
      return measured_seconds<double>(*apply, zeros, OperatorOptions(), nullptr, options.rounds);
    }
    refuse_scalar("a ProductTuner", "double");
  }

  std::vector<ProductSample> samples_where(bool fitted) const {
    std::vector<ProductSample> found;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      if (products[k].is_fitted == fitted) found.push_back(samples[k]);
    }
    return found;
  }
};

ProductTuner::ProductTuner(TuneOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  impl_->backend = tuned_backend(options);
  impl_->report.backend = impl_->backend;
  impl_->report.machine = product_machine(impl_->backend, options.device);
}
ProductTuner::~ProductTuner() = default;
ProductTuner::ProductTuner(ProductTuner&&) noexcept = default;
ProductTuner& ProductTuner::operator=(ProductTuner&&) noexcept = default;

void ProductTuner::measure(const std::string& name, const SparseView<double>& a, bool fits) {
  check_sparse_view(a);
  for (const TunedProduct& old : impl_->products) {
    if (old.matrix == name)
      fail<InvalidInput>("products by a matrix named '{}' were measured before; give each matrix another name", name);
  }
  std::vector<ProductSample> samples;
  std::vector<TunedProduct> products;
  const RowPattern pattern = make_row_pattern({a.rows, a.columns, a.offsets, a.indices, a.part, a.compression});
  for (const int threads : impl_->threads()) {
    for (const LayoutCandidate& candidate :
         layout_candidates(pattern, {Format::automatic, impl_->backend, sizeof(double), threads, nullptr})) {
      if (!candidate.refusal.empty()) continue;
      const double seconds = impl_->measured(candidate, threads);
      if (!(seconds > 0.0)) continue;  // Too short for the clock.
      samples.push_back({choice_name(name, threads), candidate.kernel, candidate.shape, candidate.figures, seconds});
      products.push_back({name, candidate.kernel, threads, fits, seconds, 0.0, 0.0});
    }
  }
  // Nothing is kept of a matrix whose measurement failed.
  impl_->samples.reserve(impl_->samples.size() + samples.size());
  impl_->products.reserve(impl_->products.size() + products.size());
  std::move(samples.begin(), samples.end(), std::back_inserter(impl_->samples));
  std::move(products.begin(), products.end(), std::back_inserter(impl_->products));
}

const TuneReport& ProductTuner::fit() {
  const std::vector<ProductSample> fitted = impl_->samples_where(true), judged = impl_->samples_where(false);
  if (fitted.empty()) fail<InvalidState>("fit needs measured products; call measure first");
  const ProductFigures& built_in = built_in_figures(impl_->backend);
  impl_->figures = fit_product_figures(fitted, built_in, impl_->backend);
  TuneReport& report = impl_->report;
  report.products = impl_->products;
  report.judged = static_cast<int>(judged.size());
  for (std::size_t k = 0; k < impl_->samples.size(); ++k) {
    report.products[k].predicted_seconds = predicted_seconds(impl_->samples[k], impl_->figures);
    report.products[k].built_in_seconds = predicted_seconds(impl_->samples[k], built_in);
  }
  report.fitted = errors_of(judged.empty() ? fitted : judged, impl_->figures);
  report.built_in = errors_of(judged.empty() ? fitted : judged, built_in);
  impl_->is_fitted = true;
  return report;
}

void ProductTuner::store(const std::string& path) const {
  if (!impl_->is_fitted) fail<InvalidState>("store needs fitted figures; call fit first");
  check_file(path);
  write_product_figures(path, impl_->backend, {impl_->report.machine, impl_->figures});
}

void ProductTuner::check_file(const std::string& path) const {
  if (impl_->report.machine.empty())
    fail<InvalidState>("the figures cannot be stored, because this machine has no name by which a file could be recognized");
  check_product_figures_file(path);
}

}  // namespace gpusupernodal
