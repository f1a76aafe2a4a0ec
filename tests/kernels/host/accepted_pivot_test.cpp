/// \file
/// Which complex pivots are replaced, and by which numbers.

#include "kernels/common/accepted_pivot.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gpusupernodal::test {
namespace {

template <class R>
class AcceptedPivots : public ::testing::Test {};
using Parts = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AcceptedPivots, Parts);

TYPED_TEST(AcceptedPivots, SmallOnesKeepTheirDirection) {
  using R = TypeParam;
  using Number = cuda::Complex<R>;
  constexpr R smallest = R(1) / 1024, tiny = smallest / 64;
  EXPECT_EQ(cuda::accepted_pivot(Number(-tiny, R(0)), smallest), Number(-smallest, R(0)));
  EXPECT_EQ(cuda::accepted_pivot(Number(R(0), -tiny), smallest), Number(R(0), -smallest));
  EXPECT_EQ(cuda::accepted_pivot(Number(tiny, -tiny / 2), smallest), Number(smallest, -smallest / 2));
  for (const Number stays : {Number(smallest, R(0)), Number(tiny, -smallest), Number(R(-3), tiny)}) {
    EXPECT_FALSE(cuda::is_small_pivot(stays, smallest));
    EXPECT_EQ(cuda::accepted_pivot(stays, smallest), stays);
  }
}

TYPED_TEST(AcceptedPivots, WithoutADirectionTheyArePositive) {
  using R = TypeParam;
  using Number = cuda::Complex<R>;
  constexpr R smallest = R(1) / 1024, subnormal = std::numeric_limits<R>::denorm_min();
  for (const R re : {R(0), -R(0), subnormal, -subnormal}) {
    for (const R im : {R(0), -R(0), subnormal, -subnormal})
      EXPECT_EQ(cuda::accepted_pivot(Number(re, im), smallest), Number(smallest, R(0)));
  }
}

TYPED_TEST(AcceptedPivots, WhatIsNotFiniteStays) {
  using R = TypeParam;
  using Number = cuda::Complex<R>;
  constexpr R smallest = R(1) / 1024, nan = std::numeric_limits<R>::quiet_NaN();
  constexpr R infinity = std::numeric_limits<R>::infinity();
  EXPECT_TRUE(std::isnan(cuda::accepted_pivot(Number(nan, R(0)), smallest).re));
  EXPECT_TRUE(std::isnan(cuda::accepted_pivot(Number(R(0), nan), smallest).im));
  EXPECT_EQ(cuda::accepted_pivot(Number(R(0), -infinity), smallest), Number(R(0), -infinity));
  EXPECT_FALSE(cuda::is_small_pivot(nan, smallest));
}

}  // namespace
}  // namespace gpusupernodal::test
