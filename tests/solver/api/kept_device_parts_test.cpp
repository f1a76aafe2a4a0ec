/// The plan cache and the device parts of plans.

#include <gtest/gtest.h>

#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/api/cached_plans.hpp"
#include "tests/solver/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

/// Solvers with different CUDA options find the plan with the matching device part; no part replaces another.
TEST(DevicePlanCache, KeepsAPlanForEachSetOfOptions) {
  const io::SymmetricMatrix a = io::generate("lap2d:30");
  PlanOptions any_order;
  any_order.cuda.emplace();
  PlanOptions in_order = any_order;
  in_order.cuda->deterministic = true;
  const auto host = make_plan(pattern_of(a), {});
  const auto first = with_cuda(host, *any_order.cuda, 1);
  const auto second = with_cuda(host, *in_order.cuda, 1);
  PlanCache cache;
  cache.set_limits({8, std::int64_t{1} << 30});
  cache.keep(pattern_of(a), {}, host);
  EXPECT_EQ(cache.find(pattern_of(a), in_order), host) << "a plan without the part serves, too";
  cache.keep(pattern_of(a), any_order, first);
  EXPECT_EQ(cache.info().plans, 1) << "the plan with a part replaces the one without";
  cache.keep(pattern_of(a), in_order, second);
  EXPECT_EQ(cache.info().plans, 2);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(cache.find(pattern_of(a), any_order), first);
    EXPECT_EQ(cache.find(pattern_of(a), in_order), second);
  }
  cache.keep(pattern_of(a), {}, host);
  EXPECT_EQ(cache.info().plans, 2) << "a plan without a part replaces none";
  EXPECT_EQ(cache.find(pattern_of(a), any_order), first);
}

TEST(DevicePlanCache, ContainsAnswersAsFindAndCountsNothing) {
  const io::SymmetricMatrix a = io::generate("lap2d:12"), other = io::generate("lap2d:13");
  PlanCache cache;
  cache.set_limits({8, std::int64_t{1} << 30});
  EXPECT_FALSE(cache.contains(pattern_of(a), {}));
  cache.keep(pattern_of(a), {}, make_plan(pattern_of(a), {}));
  EXPECT_TRUE(cache.contains(pattern_of(a), {}));
  EXPECT_FALSE(cache.contains(pattern_of(other), {}));
  EXPECT_EQ(cache.info().hits + cache.info().misses, 0);
}

/// A preview that uses a cached plan does not report the times of the original analysis.
TEST(DevicePlanCache, PreviewFromTheCacheReportsNoOrderingTime) {
  const io::SymmetricMatrix a = io::generate("lap2d:40");
  Options options;
  options.backend = Backend::host;
  Solver<double> solver(options);
  solver.analyze(a.view());
  const AnalyzeReport report = Solver<double>::preview(a.view(), options).report;
  EXPECT_EQ(report.plan_source, PlanSource::cache);
  EXPECT_EQ(report.seconds_ordering, 0.0);
  EXPECT_TRUE(report.steps.empty());
}

}  // namespace
}  // namespace gpusupernodal::test
