#include "solver/host/run/float_mode.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <limits>
#include <thread>

#include "solver/host/run/workers.hpp"

namespace gpusupernodal::test {
namespace {

#if defined(__SSE2__) || defined(__aarch64__)

// volatile, so that these operations are done at run time.
volatile float least = std::numeric_limits<float>::min();
volatile float half = 0.5F;
volatile double one = 1.0;
volatile double three = 3.0;

TEST(FloatMode, FlushesSubnormalsOnlyWithinItsScope) {
  {
    const WithFloatMode flushing(FloatMode::of_this_thread().flushing());
    EXPECT_EQ(least * half, 0.0F);
    {
      const WithFloatMode same(FloatMode::of_this_thread());
      EXPECT_EQ(least * half, 0.0F);
    }
    EXPECT_EQ(least * half, 0.0F);
  }
  EXPECT_GT(least * half, 0.0F);
}

TEST(FloatMode, KeepsExceptionFlags) {
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const WithFloatMode flushing(FloatMode::of_this_thread().flushing());
    const volatile double third = one / three;
    static_cast<void>(third);
  }
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
}

/// Arenas are reused: worker threads must round like the current caller, not like the first one.
TEST(FloatMode, WorkersUseTheRoundingModeOfTheCaller) {
  const double nearest = one / three;
  WorkerTeam team(3);
  const auto differing = [&] {
    std::atomic<int> count{0};
    std::atomic<int> came{0};
    team.run(3, [&](int) {
      ++came;
      if (one / three != nearest) ++count;
      // Wait a while for a second worker, so that a call runs on another thread if one is available.
      for (int i = 0; came < 2 && i < 200; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return count.load();
  };
  EXPECT_EQ(differing(), 0);
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  const double directed = one / three;
  ASSERT_NE(directed, nearest);
  EXPECT_EQ(differing(), 3);
  std::fesetround(before);
  EXPECT_EQ(differing(), 0);
}

#endif

}  // namespace
}  // namespace gpusupernodal::test
