#include "solver/sparse/product_fit.hpp"

#include <gtest/gtest.h>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test::sparse {
namespace {

/// Every candidate of some matrices, with the times that `figures` predict, for one thread and for four.
std::vector<ProductSample> samples_by(const ProductFigures& figures, const std::vector<std::string>& matrices) {
  std::vector<ProductSample> samples;
  for (const std::string& name : matrices) {
    const io::SymmetricMatrix a = io::generate(name);
    RowPattern pattern =
        make_row_pattern({a.n, a.n, a.offsets.data(), a.indices.data(), StoredPart::lower, Compression::columns});
    for (const bool symmetric : {true, false}) {
      pattern.symmetric = symmetric;
      for (const LayoutCandidate& candidate : layout_candidates(pattern, {Format::automatic, Backend::host, 8, 1})) {
        if (!candidate.refusal.empty()) continue;
        for (const int workers : {1, 4}) {
          ProductSample sample{name + (symmetric ? " half" : "") + std::to_string(workers), candidate.kernel,
                               candidate.shape, candidate.figures, 0.0};
          sample.shape.workers = workers;
          sample.seconds = predicted_seconds(sample, figures);
          samples.push_back(sample);
        }
      }
    }
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const ProductSample& a, const ProductSample& b) { return a.matrix < b.matrix; });
  return samples;
}

/// Figures that differ from the built-in ones by up to a factor of three, each by another one.
ProductFigures other_figures() {
  ProductFigures figures = built_in_figures(Backend::host);
  double factor = 0.4;
  for_each_product_figure(figures, Backend::host, [&](const std::string&, double& value) {
    value *= factor;
    factor = factor < 2.0 ? factor * 1.3 : 0.4;
  });
  return figures;
}

// Bounds of relative errors of predicted times. The built-in figures differ from the true ones by up to a factor of three,
// so their median error must exceed 10 %. A fit finds only the figures that its samples determine, and the others stay near
// their start, so its predictions for other matrices are not exact: 5 % at the median, 15 % for nine of ten of them.
constexpr double error_before_fit = 0.1;
constexpr double median_after_fit = 0.05;
constexpr double error_90_after_fit = 0.15;

/// Times that the model can explain are found again, also those of matrices that were not fitted.
TEST(ProductFit, FindsFiguresThatPredictTheirTimes) {
  const ProductFigures truth = other_figures();
  const std::vector<ProductSample> fitted = samples_by(
      truth, {"lap2d:10", "lap2d:90", "lap3d:8", "lap3d:40", "lap27:12", "elas:6", "elas:13", "shell:12", "shell:40"});
  const std::vector<ProductSample> judged = samples_by(truth, {"lap3d:20", "elas:9", "lap27:20"});
  const ProductFigures& start = built_in_figures(Backend::host);
  const ProductFigures figures = fit_product_figures(fitted, start, Backend::host);
  const ProductErrors before = product_errors(judged, start), after = product_errors(judged, figures);
  EXPECT_GT(before.median, error_before_fit);
  EXPECT_LT(after.median, median_after_fit);
  EXPECT_LT(after.error_90, error_90_after_fit);
  EXPECT_LE(after.mean_regret, before.mean_regret);
  for_each_product_figure(figures, Backend::host,
                          [](const std::string& name, const double& value) { EXPECT_GT(value, 0.0) << name; });
}

TEST(ProductFit, ErrorsAreThoseOfThePredictions) {
  ProductFigures figures;
  figures.machine = {1.0, 1.0, 1.0, 0.0, 0.0};
  figures.csr = {1.0, 0.0, 1.0, 0.0, 0.0};  // Every product takes a second.
  figures.dia = {2.0, 0.0, 1.0, 0.0, 0.0};
  const std::vector<ProductSample> samples{{"a", "csr", {}, &ProductFigures::csr, 1.0},
                                           {"a", "dia", {}, &ProductFigures::dia, 0.5},
                                           {"b", "csr", {}, &ProductFigures::csr, 2.0},
                                           {"b", "dia", {}, &ProductFigures::dia, 2.0}};
  const ProductErrors errors = product_errors(samples, figures);
  EXPECT_DOUBLE_EQ(errors.median, 0.5);  // Of 0, 0, 0.5 and 3.
  EXPECT_DOUBLE_EQ(errors.error_90, 3.0);
  EXPECT_DOUBLE_EQ(errors.max_regret, 1.0);  // csr is chosen for a, where dia takes half of its time.
  EXPECT_DOUBLE_EQ(errors.mean_regret, 0.5);
  EXPECT_EQ(product_errors({}, figures).median, 0.0);
  EXPECT_EQ(fit_product_figures({}, figures, Backend::host), figures);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
