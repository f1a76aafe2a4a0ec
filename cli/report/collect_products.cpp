#include <algorithm>
#include <cmath>
#include <functional>

#include "cli/report/collect.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr double share_of_calls = 0.02;  ///< Part of the limit that repeated products may take.
constexpr int most_calls = 21;
constexpr int lanczos_steps = 60;

/// Lanczos' method for D⁻¹ᐟ² A D⁻¹ᐟ² with the diagonal D of A, or for A if D is not positive.
void estimate_spectrum(Collection& c, SparseOperator<double>& product) {
  SpectrumFigures& f = c.figures.spectrum;
  if (!c.problem.is_symmetric()) {
    f.note = "The method of Lanczos needs a symmetric matrix.";
    return;
  }
  attempt(c, "spectrum", f, [&] {
    std::vector<double> scale = c.problem.diagonal();
    const bool positive = std::all_of(scale.begin(), scale.end(), [](double d) { return d > 0.0 && std::isfinite(d); });
    for (double& entry : scale) entry = positive ? 1.0 / std::sqrt(entry) : 1.0;
    f.of = positive ? "A, scaled to a unit diagonal" : "A, whose diagonal is not positive";
    std::vector<double> scaled(scale.size());
    const std::int64_t n = c.problem.order();
    f.steps = lanczos(
        n, lanczos_steps,
        [&](const std::vector<double>& x, std::vector<double>& y) {
          std::transform(x.begin(), x.end(), scale.begin(), scaled.begin(), std::multiplies<>());
          product.multiply(DenseView<const double>(scaled.data(), n), DenseView<double>(y.data(), n));
          std::transform(y.begin(), y.end(), scale.begin(), y.begin(), std::multiplies<>());
        },
        [&] { return !c.limit.is_over(); });
    if (f.steps.empty()) f.note = "The products are not finite.";
    return !f.steps.empty();
  });
}

}  // namespace

void collect_products(Collection& c) {
  FormatFigures& f = c.figures.formats;
  OperatorOptions options;
  options.backend = c.options.backend;
  options.threads = c.options.threads;
  options.device = c.options.device;
  options.tuning = Tuning::measured;
  SparseOperator<double> product(options);
  attempt(c, "products", f, [&] {
    product.analyze(SparseView<double>(c.problem.view()));
    f.report = product.report();
    const std::int64_t n = c.problem.order();
    std::vector<double> y(c.b.size());
    f.product_seconds = median_seconds(most_calls, share_of_calls * c.limit.seconds(), [&] {
      product.multiply(DenseView<const double>(c.b.data(), n), DenseView<double>(y.data(), n));
    });
    return true;
  });
  if (f.is_complete) {
    estimate_spectrum(c, product);
  } else {
    c.figures.spectrum.note = "There are no products for the method of Lanczos.";
  }
}

}  // namespace gpusupernodal::cli
