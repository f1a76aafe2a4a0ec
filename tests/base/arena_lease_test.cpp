/// Tests of more oneTBB threads than cores: the work is done completely, and nothing is printed.

#include "base/arena_lease.hpp"

#include <gtest/gtest.h>
#include <tbb/info.h>

#include <atomic>

#include "base/thread_team.hpp"
#include "solver/host/run/workers.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

/// Runs work on both kinds of teams, the smaller size first: oneTBB's first arena limits later ones.
void expect_silent_work(int few, int many) {
  testing::internal::CaptureStderr();
  for (const int threads : {few, many}) {
    std::atomic<std::int64_t> sum{0};
    ThreadTeam team(threads);
    team.execute([&] { team.for_intervals(1000, 1, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; }); });
    EXPECT_EQ(sum, 1000);
    std::atomic<int> calls{0};
    WorkerTeam workers(threads);
    workers.run(threads, [&](int) { ++calls; });
    EXPECT_EQ(calls, threads);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << few << " and " << many << " threads";
}

TEST(ArenaLease, LimitsThreadsToTheCoresWithoutAWarning) {
  const int cores = tbb::info::default_concurrency();
  EXPECT_EQ(allowed_threads(), cores);
  EXPECT_EQ(worker_count(1), 1);
  EXPECT_EQ(worker_count(0), cores);
  EXPECT_EQ(worker_count(cores + 7), cores);
  expect_silent_work(2, cores + 7);
  expect_silent_work(cores, 4096);
}

TEST(ArenaLease, AllowThreadsRaisesTheLimitAboveTheCores) {
  const int cores = tbb::info::default_concurrency();
  allow_threads(cores + 3);
  EXPECT_EQ(allowed_threads(), cores + 3);
  EXPECT_EQ(worker_count(0), cores);
  EXPECT_EQ(worker_count(cores + 2), cores + 2);
  EXPECT_EQ(worker_count(cores + 7), cores + 3);
  expect_silent_work(cores + 2, cores + 9);
}

}  // namespace
}  // namespace gpusupernodal::test
