// Tests when SystemSolver takes a plan that an earlier solver left in the cache.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gpusupernodal::test::system
