#include "solver/sparse/product_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/descent.hpp"

namespace gpusupernodal {
namespace {

/// By which an operator would choose among formats.
double seconds_to_choose_by(const ProductSample& sample, const ProductFigures& figures) {
  return one_worker_seconds(sample.shape, figures.*sample.figures, figures.machine);
}

/// Regret of the choice among samples first … last−1, which are of one matrix.
double regret(const std::vector<ProductSample>& samples, std::size_t first, std::size_t last,
              const ProductFigures& figures) {
  std::size_t chosen = first, fastest = first;
  for (std::size_t k = first; k < last; ++k) {
    if (seconds_to_choose_by(samples[k], figures) < seconds_to_choose_by(samples[chosen], figures)) chosen = k;
    if (samples[k].seconds < samples[fastest].seconds) fastest = k;
  }
  return samples[chosen].seconds / samples[fastest].seconds - 1.0;
}

}  // namespace

double predicted_seconds(const ProductSample& sample, const ProductFigures& figures) {
  return predicted_seconds(sample.shape, figures.*sample.figures, figures.machine);
}

ProductFigures fit_product_figures(const std::vector<ProductSample>& samples, const ProductFigures& start, Backend backend) {
  ProductFigures fitted = start;
  if (samples.empty()) return fitted;
  fit_figures(
      fitted, [backend](ProductFigures& f, const auto& visit) { for_each_product_figure(f, backend, visit); },
      [&] {
        double sum = 0.0;
        for (const ProductSample& sample : samples)
          sum += std::pow(std::log(predicted_seconds(sample, fitted) / sample.seconds), 2);
        return sum / static_cast<double>(samples.size());
      });
  return fitted;
}

ProductErrors product_errors(const std::vector<ProductSample>& samples, const ProductFigures& figures) {
  ProductErrors errors;
  if (samples.empty()) return errors;
  std::vector<double> all;
  for (const ProductSample& sample : samples)
    all.push_back(std::abs(predicted_seconds(sample, figures) / sample.seconds - 1.0));
  std::sort(all.begin(), all.end());
  errors.median = all[all.size() / 2];
  errors.error_90 = all[(9 * all.size() - 1) / 10];
  double matrices = 0.0;
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first;
    while (last < samples.size() && samples[last].matrix == samples[first].matrix) ++last;
    const double one = regret(samples, first, last, figures);
    errors.mean_regret += one;
    errors.max_regret = std::max(errors.max_regret, one);
    matrices += 1.0;
    first = last;
  }
  errors.mean_regret /= matrices;
  return errors;
}

}  // namespace gpusupernodal
