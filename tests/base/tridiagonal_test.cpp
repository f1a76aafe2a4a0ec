#include "base/tridiagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gpusupernodal {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double pi = std::acos(-1.0);

/// tridiag(−1, 2, −1) and its eigenvalues, ascending from k = 1.
struct Chain {
  explicit Chain(std::size_t n) : diagonal(n, 2.0), beside_squared(n - 1, 1.0) {}
  double eigenvalue_number(std::size_t k) const {
    return 2.0 - 2.0 * std::cos(static_cast<double>(k) * pi / static_cast<double>(diagonal.size() + 1));
  }
  std::vector<double> diagonal, beside_squared;
};

TEST(Tridiagonal, EveryEigenvalueOfTheChain) {
  for (const std::size_t n : {1U, 2U, 3U, 10U, 57U}) {
    const Chain chain(n);
    const Interval range = gershgorin(chain.diagonal, chain.beside_squared);
    for (std::size_t k = 1; k <= n; ++k) {
      const double found = eigenvalue(chain.diagonal, chain.beside_squared, k, range, 0.0);
      EXPECT_NEAR(found, chain.eigenvalue_number(k), 8.0 * static_cast<double>(n) * eps) << n << ", " << k;
    }
  }
}

TEST(Tridiagonal, CountsTheEigenvaluesBelow) {
  const Chain chain(30);
  for (std::size_t k = 1; k < 30; ++k) {
    const double between = 0.5 * (chain.eigenvalue_number(k) + chain.eigenvalue_number(k + 1));
    EXPECT_EQ(eigenvalues_below(chain.diagonal, chain.beside_squared, between), k);
  }
}

/// A small eigenvalue beside a large one is found to the relative accuracy, from a range with a positive lower end.
TEST(Tridiagonal, AccuracyIsRelative) {
  const std::vector<double> diagonal{1e-12, 1.0, 3.0}, beside_squared{0.0, 0.0};
  for (const double accuracy : {1e-1, 1e-4, 1e-12}) {
    const double found = eigenvalue(diagonal, beside_squared, 1, {1e-16, 3.0}, accuracy);
    EXPECT_GE(found, 1e-12 * (1.0 - 4.0 * eps));
    EXPECT_LE(found, 1e-12 * (1.0 + 2.0 * accuracy));
  }
}

TEST(Tridiagonal, NegativeEigenvalues) {
  const std::vector<double> diagonal{3.0, -7.0, 0.5, 2.0}, beside_squared{0.0, 0.0, 0.0};
  const Interval range = gershgorin(diagonal, beside_squared);
  EXPECT_NEAR(eigenvalue(diagonal, beside_squared, 1, range, 0.0), -7.0, 8.0 * eps);
  EXPECT_NEAR(eigenvalue(diagonal, beside_squared, 2, range, 0.0), 0.5, 8.0 * eps);
  EXPECT_NEAR(eigenvalue(diagonal, beside_squared, 4, range, 0.0), 3.0, 8.0 * eps);
}

}  // namespace
}  // namespace gpusupernodal
