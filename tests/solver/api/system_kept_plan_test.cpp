// Tests when SystemSolver takes a plan that an earlier solver left in the cache.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/plan_cache.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "tests/solver/api/system_problems.hpp"

namespace gpusupernodal::test::system {
namespace {

/// A solver solves, another one leaves the plan in the cache, and the first solver solves twice more, with new values if
/// `has_new_values`. Returns how often the first solver took the plan.
std::int64_t kept_plans_taken(bool has_new_values) {
  clear_plan_cache();
  const Stored<double> a(chain(400, 20.0, 20.0));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  std::int64_t before = 0;
  {
    SystemOptions few_iterations = with(Method::automatic);
    few_iterations.tolerance = 1e-2;  // Reached before the first forecast, which would begin a plan.
    SystemSolver<double> system(few_iterations);
    system.compute(a.view());
    EXPECT_LT(solve(system, b, x).iterations, 4);
    SystemSolver<double> other(with(Method::direct));
    other.compute(a.view());
    EXPECT_TRUE(solve(other, b, x).solved());
    EXPECT_EQ(plan_cache_info().plans, 1);
    before = plan_cache_info().hits;
    if (has_new_values) system.update(a.values);
    EXPECT_TRUE(solve(system, b, x).solved());
    EXPECT_TRUE(solve(system, b, x).solved());
  }  // The destructor waits for the thread that takes the plan.
  return plan_cache_info().hits - before;
}

TEST(SystemKeptPlan, IsLookedForOnceForEachSetOfValues) {
  EXPECT_EQ(kept_plans_taken(false), 0);
  EXPECT_EQ(kept_plans_taken(true), 1);
  clear_plan_cache();
}

/// With a plan in the cache a factorization takes as long as a few dozen iterations, so the trial must be short.
TEST(SystemKeptPlan, MakesTheTrialShort) {
  clear_plan_cache();
  const Stored<double> a(hard_chain(20000));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  SystemSolver<double> earlier(with(Method::direct));
  earlier.compute(a.view());
  ASSERT_TRUE(solve(earlier, b, x).solved());
  for (const std::int64_t solves : {100, 1000}) {
    SystemSolver<double> system(with(Method::automatic, solves));
    system.compute(a.view());
    const SystemReport report = solve(system, b, x);
    ASSERT_TRUE(report.solved()) << report.reason;
    EXPECT_EQ(report.method, Method::direct) << report.reason;
    EXPECT_GE(report.probe_iterations, 2);
    EXPECT_LE(report.probe_iterations, 4);
    EXPECT_GT(report.forecast_direct, 0.0);
    EXPECT_GT(report.forecast_pcg, report.forecast_direct);
  }
  clear_plan_cache();
}

/// A factorization that takes as long as a few iterations needs no trial.
TEST(SystemKeptPlan, MakesATrialNeedlessForSmallSystems) {
  clear_plan_cache();
  const Stored<double> a(hard_chain(1500));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x;
  SystemSolver<double> earlier(with(Method::direct));
  earlier.compute(a.view());
  ASSERT_TRUE(solve(earlier, b, x).solved());
  SystemSolver<double> system(with(Method::automatic));
  system.compute(a.view());
  const SystemReport report = solve(system, b, x);
  ASSERT_TRUE(report.solved()) << report.reason;
  EXPECT_EQ(report.method, Method::direct) << report.reason;
  EXPECT_EQ(report.probe_iterations, 0);
  EXPECT_NE(report.reason.find("direct was chosen without an iteration: for 1 solve"), std::string::npos) << report.reason;
  EXPECT_GT(report.forecast_direct, 0.0);
  EXPECT_EQ(report.forecast_pcg, -1.0);
  EXPECT_EQ(solve(system, b, x).factorizations, 1);
  clear_plan_cache();
}

}  // namespace
}  // namespace gpusupernodal::test::system
