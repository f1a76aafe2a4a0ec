#include "solver/host/run/float_mode.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "solver/host/run/workers.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

#if defined(__SSE2__) || defined(__aarch64__)

// volatile, so that these operations are done at run time.
volatile float smallest_normal = std::numeric_limits<float>::min();
volatile float half = 0.5F;
volatile double one = 1.0;
volatile double three = 3.0;

TEST(FloatMode, FlushesSubnormalsOnlyWithinItsScope) {
  {
    const WithFloatMode flushing(FloatMode::of_this_thread().flushing());
    EXPECT_EQ(smallest_normal * half, 0.0F);
    {
      const WithFloatMode same(FloatMode::of_this_thread());
      EXPECT_EQ(smallest_normal * half, 0.0F);
    }
    EXPECT_EQ(smallest_normal * half, 0.0F);
  }
  EXPECT_GT(smallest_normal * half, 0.0F);
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

/// Counts the calls of one run that round differently from the nearest-even result. A call ends only after a call on
/// another thread has begun, so the run cannot be done by the calling thread alone.
class RoundingCheck {
 public:
  int differing(WorkerTeam& team, int calls, double nearest) {
    differing_ = 0;
    threads_.clear();
    team.run(calls, [&](int) { check(nearest); });
    EXPECT_GE(threads_.size(), 2U) << "no second thread came";
    return differing_;
  }

 private:
  void check(double nearest) {
    constexpr auto limit = std::chrono::seconds(60);  // Reached only if the team has no second thread.
    const bool differs = one / three != nearest;
    std::unique_lock lock(mutex_);
    if (differs) ++differing_;
    threads_.insert(std::this_thread::get_id());
    second_thread_.notify_all();
    second_thread_.wait_for(lock, limit, [&] { return threads_.size() >= 2; });
  }

  std::mutex mutex_;
  std::condition_variable second_thread_;
  std::set<std::thread::id> threads_;
  int differing_ = 0;
};

/// Arenas are reused: worker threads must round like the current caller, not like the first one.
TEST(FloatMode, WorkersUseTheRoundingModeOfTheCaller) {
  constexpr int workers = 3;
  allow_threads(workers);
  const double nearest = one / three;
  WorkerTeam team(workers);
  RoundingCheck check;
  EXPECT_EQ(check.differing(team, workers, nearest), 0);
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  ASSERT_NE(one / three, nearest);
  EXPECT_EQ(check.differing(team, workers, nearest), workers);
  std::fesetround(before);
  EXPECT_EQ(check.differing(team, workers, nearest), 0);
}

#endif

}  // namespace
}  // namespace gpusupernodal::test
