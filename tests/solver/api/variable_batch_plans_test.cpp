/// Which plans of several patterns are kept for later analyses.

#include "gpusupernodal/plan_cache.hpp"
#include "tests/solver/api/variable_batch_problems.hpp"

namespace gpusupernodal::test::batch {
namespace {

TEST(VariableBatchPlans, AFewAreKeptAndFoundAgain) {
  clear_plan_cache();
  const GridList<double> list(Form::llt, {4, 5, 4, 6});
  for (const PlanSource source : {PlanSource::analyzed, PlanSource::cache}) {
    VariableBatchSolver<double> batch(options_for(Form::llt, 1));
    batch.analyze(list.views());
    for (std::int64_t pattern = 0; pattern < 3; ++pattern) EXPECT_EQ(batch.analyze_report(pattern).plan_source, source);
  }
  EXPECT_EQ(plan_cache_info().plans, 3);
  clear_plan_cache();
}

TEST(VariableBatchPlans, ManyDoNotDropThoseOfOthers) {
  clear_plan_cache();
  const GridList<double> few(Form::llt, {4, 5});
  VariableBatchSolver<double> batch(options_for(Form::llt, 1));
  batch.analyze(few.views());
  const std::vector<std::int64_t> sizes = {1, 2, 3, 6, 7, 8, 9};
  batch.analyze(GridList<double>(Form::llt, sizes).views());
  EXPECT_EQ(batch.patterns(), 7);
  EXPECT_EQ(plan_cache_info().plans, 2);
  batch.analyze(few.views());
  EXPECT_EQ(batch.analyze_report(1).plan_source, PlanSource::cache);
  clear_plan_cache();
}

}  // namespace
}  // namespace gpusupernodal::test::batch
