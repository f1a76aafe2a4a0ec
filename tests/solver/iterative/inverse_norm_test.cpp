#include "solver/iterative/inverse_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gpusupernodal::test {
namespace {

/// M = diag(d).
class Diagonal final : public ApproximateInverse<double> {
 public:
  explicit Diagonal(std::vector<double> d) : d_(std::move(d)) {}
  void apply(const DenseView<const double>& r, const DenseView<double>& z) override {
    ++applications;
    for (std::size_t i = 0; i < d_.size(); ++i) z.data[i] = r.data[i] / d_[i];
  }
  int applications = 0;

 private:
  std::vector<double> d_;
};

double bound(std::int64_t n) { return 4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

TEST(InverseNorm, IsExactForDiagonalMatrices) {
  for (const std::int64_t n : {1, 2, 11, 12, 100}) {
    std::vector<double> d;
    for (std::int64_t i = 0; i < n; ++i) d.push_back(static_cast<double>((i * 7) % n + 1) / 8.0);
    Diagonal m(d);
    EXPECT_NEAR(inverse_norm_estimate<double>(n, m), 8.0, 8.0 * bound(n)) << "order " << n;
    EXPECT_LE(m.applications, 11);
  }
}

TEST(InverseNorm, IsNaNIfTheInverseHasANaN) {
  Diagonal m({1.0, std::numeric_limits<double>::quiet_NaN(), 2.0});
  EXPECT_TRUE(std::isnan(inverse_norm_estimate<double>(3, m)));
}

}  // namespace
}  // namespace gpusupernodal::test
