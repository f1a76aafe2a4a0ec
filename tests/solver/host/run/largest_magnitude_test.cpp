/// The largest magnitude of an array.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class LargestMagnitude : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LargestMagnitude, Reals);

TYPED_TEST(LargestMagnitude, OfAnyLengthAndPlace) {
  using T = TypeParam;
  for (std::int64_t n = 0; n < 10; ++n) {
    const std::vector<T> zeros(static_cast<std::size_t>(n), T(-0.0));
    const double zero = largest_magnitude(zeros.data(), n);
    EXPECT_EQ(zero, 0.0);
    EXPECT_FALSE(std::signbit(zero));
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<T> v(static_cast<std::size_t>(n), T(0.25));
      v[static_cast<std::size_t>(i)] = T(-3);
      EXPECT_EQ(largest_magnitude(v.data(), n), 3.0);
      v[static_cast<std::size_t>(i)] = -std::numeric_limits<T>::infinity();
      EXPECT_EQ(largest_magnitude(v.data(), n), std::numeric_limits<double>::infinity());
      v[static_cast<std::size_t>((i + 1) % n)] = -std::numeric_limits<T>::quiet_NaN();
      EXPECT_TRUE(std::isnan(largest_magnitude(v.data(), n)));
      v.assign(v.size(), T(0));
      v[static_cast<std::size_t>(i)] = -std::numeric_limits<T>::denorm_min();
      EXPECT_EQ(largest_magnitude(v.data(), n), static_cast<double>(std::numeric_limits<T>::denorm_min()));
    }
  }
}

TEST(LargestMagnitudeOfComplex, IsThatOfTheNumberNotOfAPart) {
  const std::vector<std::complex<double>> v = {{3.0, -4.0}, {4.5, 0.0}};
  EXPECT_EQ(largest_magnitude(v.data(), 2), 5.0);
}

}  // namespace
}  // namespace gpusupernodal::test
