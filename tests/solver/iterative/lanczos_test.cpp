#include "solver/iterative/lanczos.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test::lanczos {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double eps = std::numeric_limits<double>::epsilon();

/// Relative error of a Ritz value: the bisection that computes it stops early.
constexpr double ritz_error = 1e-3;
/// Rounding errors of a forecast, relative to it, after so many residuals.
constexpr double rounding_after(int residuals) { return 8.0 * residuals * eps; }

/// Conjugate gradients on diag(d), without a preconditioner, watched by a Lanczos. Every spectrum is that of a diagonal
/// matrix. Returns the iterations until the residual relative to b is at most `target`, at most `limit`.
std::int64_t iterate(const std::vector<double>& d, std::int64_t limit, double target, Lanczos& watch) {
  const std::size_t n = d.size();
  std::vector<double> r = random_vector(static_cast<std::int64_t>(n), 11), p = r;
  const auto square = [](const std::vector<double>& v) {
    double sum = 0.0;
    for (const double value : v) sum += value * value;
    return sum;
  };
  const double norm = std::sqrt(square(r));
  double rho = norm * norm, beta = 0.0;
  for (std::int64_t k = 1; k <= limit; ++k) {
    double pq = 0.0;
    for (std::size_t i = 0; i < n; ++i) pq += d[i] * p[i] * p[i];
    const double alpha = rho / pq;
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * d[i] * p[i];
    const double next = square(r);
    watch.add(k, alpha, beta, std::sqrt(next) / norm);
    if (std::sqrt(next) <= target * norm) return k;
    beta = next / rho;
    rho = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }
  return limit;
}

/// Eigenvalues of the Laplacian of a grid of this width in `dimensions` dimensions: sums of 2 − 2·cos(kπ/(N + 1)).
std::vector<double> laplacian(int width, int dimensions) {
  std::vector<double> sums{0.0};
  for (int d = 0; d < dimensions; ++d) {
    std::vector<double> next;
    for (const double sum : sums)
      for (int k = 1; k <= width; ++k) next.push_back(sum + 2.0 - 2.0 * std::cos(k * pi / (width + 1)));
    sums = next;
  }
  return sums;
}

/// Squares and products of such numbers are 0 or infinite.
TEST(Lanczos, FindsTheExtremeEigenvaluesOfScaledMatrices) {
  const std::vector<double> plain = laplacian(20, 1);
  for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
    std::vector<double> scaled = plain;
    for (double& value : scaled) value *= scale;
    Lanczos watch;
    iterate(scaled, 20, 0.0, watch);
    const RitzValues ritz = watch.ritz();
    EXPECT_NEAR(ritz.smallest / scale, plain.front(), 2e-4 * plain.front()) << scale;
    EXPECT_NEAR(ritz.largest / scale, plain.back(), 2e-4 * plain.back()) << scale;
    EXPECT_GT(watch.remaining_iterations(1e-30), 0.0) << scale;
    EXPECT_LT(watch.remaining_iterations(1e-30), 1000.0) << scale;
  }
}

TEST(Lanczos, FindsTheExtremeEigenvaluesOfLaplacians) {
  for (const int dimensions : {1, 2, 3}) {
    const int width = dimensions == 1 ? 40 : 15;
    Lanczos watch;
    iterate(laplacian(width, dimensions), 200, 1e-10, watch);
    const RitzValues ritz = watch.ritz();
    const double smallest = dimensions * (2.0 - 2.0 * std::cos(pi / (width + 1)));
    const double largest = dimensions * (2.0 - 2.0 * std::cos(width * pi / (width + 1)));
    EXPECT_NEAR(ritz.smallest, smallest, 2e-4 * smallest) << dimensions;
    EXPECT_NEAR(ritz.largest, largest, 2e-4 * largest) << dimensions;
  }
}

TEST(Lanczos, RitzValuesStayInsideTheSpectrum) {
  const std::vector<double> d = laplacian(30, 2);
  const auto [least, most] = std::minmax_element(d.begin(), d.end());
  for (std::int64_t k = 1; k <= 30; ++k) {
    Lanczos watch;
    iterate(d, k, 1e-14, watch);
    const RitzValues ritz = watch.ritz();
    EXPECT_EQ(watch.order(), k);
    EXPECT_GE(ritz.smallest, *least * (1.0 - 2e-4));
    EXPECT_LE(ritz.largest, *most * (1.0 + 2e-4));
    EXPECT_LE(ritz.smallest, ritz.largest * (1.0 + 2e-4));
  }
}

TEST(Lanczos, FindsPrescribedSpectra) {
  for (int distinct = 1; distinct <= 6; ++distinct) {
    std::vector<double> d(300);
    for (std::size_t i = 0; i < d.size(); ++i)
      d[i] = std::pow(2.0, static_cast<double>(i % static_cast<std::size_t>(distinct)));
    Lanczos watch;
    EXPECT_EQ(iterate(d, 50, 1e-10, watch), distinct);
    const RitzValues ritz = watch.ritz();
    EXPECT_NEAR(ritz.smallest, 1.0, ritz_error) << distinct;
    const double largest = std::pow(2.0, distinct - 1);
    EXPECT_NEAR(ritz.largest, largest, ritz_error * largest) << distinct;
  }
}

/// With the eigenvalues spread over [1, κ], the iteration needs about as many steps as the bound says.
TEST(Lanczos, ForecastsTheIterationsThatFollow) {
  for (const double condition : {4.0, 25.0, 400.0}) {
    std::vector<double> d(4000);
    for (std::size_t i = 0; i < d.size(); ++i)
      d[i] = 0.5 * (condition + 1.0) - 0.5 * (condition - 1.0) * std::cos(pi * (static_cast<double>(i) + 0.5) / 4000.0);
    Lanczos whole, part;
    const auto needed = static_cast<double>(iterate(d, 1000, 1e-10, whole));
    const std::int64_t seen = iterate(d, static_cast<std::int64_t>(needed / 2), 1e-10, part);
    const double forecast = static_cast<double>(seen) + part.remaining_iterations(1e-10);
    EXPECT_GE(forecast, 0.8 * needed) << condition;
    EXPECT_LE(forecast, 1.3 * needed) << condition;
    EXPECT_EQ(whole.remaining_iterations(1e-10), 0.0);
  }
}

TEST(Lanczos, WithoutCoefficientsTheResidualsTellTheRate) {
  Lanczos watch;
  for (std::int64_t k = 1; k <= 40; ++k) watch.add(k, 0.0, 0.0, std::pow(0.5, static_cast<double>(k)));
  EXPECT_EQ(watch.order(), 0);
  EXPECT_EQ(watch.ritz().smallest, 0.0);
  EXPECT_NEAR(watch.remaining_iterations(std::pow(0.5, 60.0)), 20.0, 20.0 * rounding_after(40));
  EXPECT_EQ(watch.remaining_iterations(1.0), 0.0);
  Lanczos still;
  for (std::int64_t k = 1; k <= 40; ++k) still.add(k, 0.0, 0.0, 0.5);
  EXPECT_EQ(still.remaining_iterations(1e-3), std::numeric_limits<double>::infinity());
}

TEST(Lanczos, ANewStartBeginsANewMatrix) {
  Lanczos watch;
  iterate(laplacian(20, 1), 10, 1e-14, watch);
  watch.add(11, 0.25, 0.0, 0.1);
  EXPECT_EQ(watch.order(), 1);
  EXPECT_NEAR(watch.ritz().smallest, 4.0, ritz_error);
  EXPECT_NEAR(watch.ritz().largest, 4.0, ritz_error);
  watch.clear();
  EXPECT_EQ(watch.order(), 0);
}

/// The Ritz values of a few iterations promise too much; the residuals may rest for a while.
TEST(Lanczos, TheForecastLiesBetweenOneAndTwoTimesThatOfTheSpectrum) {
  for (const int dimensions : {1, 2, 3}) {
    for (const std::int64_t k : {2, 4, 8, 16}) {
      Lanczos watch;
      iterate(laplacian(dimensions == 1 ? 400 : 20, dimensions), k, 1e-14, watch);
      const double by_spectrum = watch.remaining_iterations(1e-10), forecast = watch.forecast(1e-10);
      EXPECT_GE(forecast, by_spectrum) << dimensions << " " << k;
      EXPECT_LE(forecast, 2.0 * by_spectrum) << dimensions << " " << k;
      const double by_residuals = watch.remaining_by_residuals(1e-10);
      if (by_residuals > by_spectrum && by_residuals < 2.0 * by_spectrum) {
        EXPECT_EQ(forecast, by_residuals);
      }
    }
  }
}

TEST(Lanczos, WithoutCoefficientsTheForecastIsThatOfTheResiduals) {
  Lanczos watch;
  for (std::int64_t k = 1; k <= 10; ++k) watch.add(8 * k, 0.0, 0.0, std::pow(0.5, static_cast<double>(k)));
  EXPECT_EQ(watch.forecast(1e-10), watch.remaining_by_residuals(1e-10));
  const double remaining = 8.0 * (std::log2(1e10) - 10.0);
  EXPECT_NEAR(watch.forecast(1e-10), remaining, remaining * rounding_after(10));
}

}  // namespace
}  // namespace gpusupernodal::test::lanczos
