#include "io/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gpusupernodal::io {
namespace {

/// (4 −1; −1 3)
SymmetricMatrix two_by_two() { return {"two", 2, {0, 2, 3}, {0, 1, 1}, {4, -1, 3}}; }

TEST(Residual, ProductUsesBothTriangles) {
  const std::vector<double> x{1, 2};
  EXPECT_EQ(multiply(two_by_two(), x), (std::vector<double>{2, 5}));
}

TEST(Residual, BackwardErrorIsTheNormwiseOne) {
  const std::vector<double> x{1, 2};
  EXPECT_EQ(backward_error(two_by_two(), x, std::vector<double>{2, 5}), 0.0);
  // ‖r‖ = 1, ‖A‖ = 5, ‖x‖ = 2, ‖b‖ = 6.
  EXPECT_DOUBLE_EQ(backward_error(two_by_two(), x, std::vector<double>{2, 6}), 1.0 / 16.0);
}

TEST(Residual, BackwardErrorOfEmptyZeroAndNaN) {
  EXPECT_EQ(backward_error(SymmetricMatrix{}, std::vector<double>{}, std::vector<double>{}), 0.0);
  EXPECT_EQ(backward_error(two_by_two(), std::vector<double>{0, 0}, std::vector<double>{0, 0}), 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(backward_error(two_by_two(), std::vector<double>{1, nan}, std::vector<double>{2, 5})));
}

/// [1 2; 0 1]: a product with its transpose, or one that mirrors entries, differs.
TEST(Residual, OfGeneralMatricesTakesEntriesAsTheyAre) {
  GeneralMatrix a;
  a.n = 2;
  a.offsets = {0, 1, 3};
  a.indices = {0, 0, 1};
  a.values = {1, 2, 1};
  const std::vector<double> x{1, 2};
  EXPECT_EQ(multiply(a, x), (std::vector<double>{5, 2}));
  EXPECT_EQ(backward_error(a, x, std::vector<double>{5, 2}), 0.0);
  // The residual is 1, ‖A‖∞ ‖x‖∞ + ‖b‖∞ is 3·2 + 6.
  EXPECT_DOUBLE_EQ(backward_error(a, x, std::vector<double>{6, 2}), 1.0 / 12.0);
}

}  // namespace
}  // namespace gpusupernodal::io
