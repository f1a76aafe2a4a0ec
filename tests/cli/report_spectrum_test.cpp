#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cli/report/spectrum.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double pi = std::acos(-1.0);

/// Eigenvalue k, from 1, of tridiag(−1, 2, −1).
double of_chain(int n, int k) { return 2.0 - 2.0 * std::cos(k * pi / (n + 1)); }

/// y := tridiag(−1, 2, −1) x.
void multiply_by_chain(const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < x.size() ? x[i + 1] : 0.0);
}

TEST(ReportSpectrum, EigenvaluesOfTheChain) {
  for (const int n : {1, 2, 3, 10, 57, 400}) {
    const auto order = static_cast<std::size_t>(n);
    const RitzPair found = extreme_eigenvalues(std::vector<double>(order, 2.0), std::vector<double>(order - 1, -1.0));
    EXPECT_NEAR(found.smallest, of_chain(n, 1), 8.0 * n * eps) << n;
    EXPECT_NEAR(found.largest, of_chain(n, n), 8.0 * n * eps) << n;
  }
}

TEST(ReportSpectrum, EigenvaluesOfADiagonalMatrixAndOfNegativeOnes) {
  const RitzPair found = extreme_eigenvalues({3.0, -7.0, 0.5, 2.0}, {0.0, 0.0, 0.0});
  EXPECT_NEAR(found.smallest, -7.0, 8.0 * eps);
  EXPECT_NEAR(found.largest, 3.0, 8.0 * eps);
}

/// After n steps, the tridiagonal matrix has the eigenvalues of the chain.
TEST(ReportSpectrum, LanczosFindsTheEndsOfASmallChain) {
  constexpr int n = 24;
  const std::vector<RitzPair> steps = lanczos(n, n, multiply_by_chain);
  ASSERT_FALSE(steps.empty());
  constexpr double rounding = 1e-10;  // Vectors lose their orthogonality.
  EXPECT_NEAR(steps.back().smallest, of_chain(n, 1), rounding);
  EXPECT_NEAR(steps.back().largest, of_chain(n, n), rounding);
}

TEST(ReportSpectrum, EstimatesLieInsideAndMoveOutwards) {
  constexpr int n = 3000;
  const std::vector<RitzPair> steps = lanczos(n, 60, multiply_by_chain);
  ASSERT_EQ(steps.size(), 60U);
  const double slack = n * eps * 4.0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    EXPECT_GE(steps[k].smallest, of_chain(n, 1) - slack);
    EXPECT_LE(steps[k].largest, of_chain(n, n) + slack);
    if (k == 0) continue;
    EXPECT_LE(steps[k].smallest, steps[k - 1].smallest + slack);
    EXPECT_GE(steps[k].largest, steps[k - 1].largest - slack);
  }
  EXPECT_GT(steps.back().largest, 3.99);
  EXPECT_LT(steps.back().smallest, 0.01);
}

/// With three different eigenvalues three steps span an invariant subspace.
TEST(ReportSpectrum, EndsInAnInvariantSubspace) {
  const auto product = [](const std::vector<double>& x, std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<double>(i % 3 + 1) * x[i];
  };
  const std::vector<RitzPair> steps = lanczos(30, 60, product);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_NEAR(steps.back().smallest, 1.0, 1e-12);
  EXPECT_NEAR(steps.back().largest, 3.0, 1e-12);
}

TEST(ReportSpectrum, EndsWhereItMayNotGoOn) {
  int asked = 0;
  EXPECT_EQ(lanczos(100, 60, multiply_by_chain, [&] { return ++asked <= 4; }).size(), 4U);
  EXPECT_TRUE(lanczos(0, 60, multiply_by_chain).empty());
  const auto broken = [](const std::vector<double>&, std::vector<double>& y) { y.assign(y.size(), std::nan("")); };
  EXPECT_TRUE(lanczos(10, 60, broken).empty());
}

}  // namespace
}  // namespace gpusupernodal::cli
