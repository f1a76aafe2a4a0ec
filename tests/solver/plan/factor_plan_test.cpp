#include "solver/plan/factor_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/plan/plan_cost.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/solver/plan/stored_matrix.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

TEST(FactorPlan, RecognizesItsPatternInBothIndexWidths) {
  const auto a = random_spd(40, 90, 3);
  for (const Form& form : all_forms()) {
    const auto stored = store<double>(a, form);
    const auto plan = make_plan(stored.pattern(), {});
    EXPECT_TRUE(same_pattern(*plan, stored.pattern()));
    Form other = form;
    other.wide = !form.wide;
    EXPECT_TRUE(same_pattern(*plan, store<double>(a, other).pattern())) << form.name();
  }
}

TEST(FactorPlan, RefusesAnyOtherPattern) {
  const auto a = random_spd(40, 90, 3);
  Form form;
  form.wide = true;
  const auto stored = store<double>(a, form);
  const auto plan = make_plan(stored.pattern(), {});
  for (std::size_t e = 0; e < stored.indices.size(); ++e) {
    auto changed = stored;
    ++changed.indices[e];
    EXPECT_FALSE(same_pattern(*plan, changed.pattern())) << "index " << e;
  }
  for (std::size_t i = 1; i < stored.offsets.size() - 1; ++i) {
    auto changed = stored;
    ++changed.offsets[i];
    EXPECT_FALSE(same_pattern(*plan, changed.pattern())) << "offset " << i;
  }
  for (const StoredPart part : {StoredPart::full, StoredPart::upper}) {
    auto changed = stored;
    changed.form.part = part;
    EXPECT_FALSE(same_pattern(*plan, changed.pattern()));
  }
  auto rows = stored;
  rows.form.compression = Compression::rows;
  EXPECT_FALSE(same_pattern(*plan, rows.pattern()));
  auto shorter = stored;
  --shorter.n;
  EXPECT_FALSE(same_pattern(*plan, shorter.pattern()));
  EXPECT_FALSE(same_pattern(*plan, store<double>(random_spd(40, 90, 4), form).pattern()));
}

TEST(FactorPlan, EmptyMatrixHasAnEmptyPlan) {
  const auto plan = plan_of(diagonal_spd(0));
  EXPECT_EQ(plan->symbolic.order(), 0);
  EXPECT_EQ(plan->panels.values(), 0);
  EXPECT_EQ(plan->host().schedule.graph.tasks.size(), 0U);
  EXPECT_EQ(plan->memory(Backend::host, ScalarType::real_double, false).factor, 0);
  EXPECT_TRUE(same_pattern(*plan, pattern_of(diagonal_spd(0))));
}

TEST(FactorPlan, ReportsTheSizeOfTheTree) {
  const auto chain = plan_of(chain_spd(50), plan_options(Ordering::natural, Merging::none));
  EXPECT_EQ(chain->structure().shape.height, chain->symbolic.supernodes());
  EXPECT_EQ(chain->structure().shape.largest_front, 2);
  const auto dense = plan_of(dense_spd(33, 1), plan_options(Ordering::natural, Merging::none));
  EXPECT_EQ(dense->structure().shape.height, 1);
  EXPECT_EQ(dense->structure().shape.largest_width, 33);
  EXPECT_EQ(dense->structure().stored_flops, dense->symbolic.flops);
}

TEST(FactorPlan, UsesTheBlockWidthAskedFor) {
  PlanOptions options;
  options.block_width = 40;
  const auto plan = plan_of(dense_spd(100, 1), options);
  EXPECT_EQ(plan->host().schedule.options.block_width, 40);
  EXPECT_EQ(plan->cuda().schedule.options.block_width, 40);
}

TEST(FactorPlan, ReportsItsStepsAndCanBeCancelledAtEach) {
  const auto a = io::generate("lap2d:12");
  std::vector<std::string> phases;
  const auto all = make_plan(pattern_of(a), {}, [&](const Progress& progress) {
    phases.emplace_back(progress.phase);
    EXPECT_GE(progress.fraction, 0.0);
    EXPECT_LE(progress.fraction, 1.0);
    return true;
  });
  ASSERT_GE(phases.size(), 4U);
  for (std::size_t stop = 0; stop < phases.size(); ++stop) {
    std::size_t step = 0;
    try {
      make_plan(pattern_of(a), {}, [&](const Progress&) { return step++ != stop; });
      FAIL() << "not cancelled";
    } catch (const Cancelled& error) {
      EXPECT_NE(std::string(error.what()).find(phases[stop]), std::string::npos) << error.what();
    }
    EXPECT_EQ(step, stop + 1);
  }
}

TEST(FactorPlan, EstimatesMemoryByScalarAndUse) {
  const auto plan = plan_of(io::generate("lap3d:6"));
  const MemoryEstimate wide = plan->memory(Backend::host, ScalarType::real_double, false);
  const MemoryEstimate narrow = plan->memory(Backend::host, ScalarType::real_single, false);
  const MemoryEstimate kept = plan->memory(Backend::host, ScalarType::real_double, true);
  EXPECT_EQ(wide.factor, plan->panels.values() * 8);
  EXPECT_EQ(wide.factor, 2 * narrow.factor);
  EXPECT_EQ(wide.workspace, 2 * narrow.workspace);
  EXPECT_EQ(wide.index, narrow.index);
  EXPECT_GE(kept.workspace - wide.workspace, plan->assembly.entries_of_a * 8);
  EXPECT_EQ(wide.total(), wide.factor + wide.index + wide.workspace);
  EXPECT_GE(plan->memory(Backend::cuda, ScalarType::real_double, false).factor, wide.factor);
}

CostEstimate estimate(const FactorPlan& plan, int threads) {
  return estimate_cost(plan, CostModel(), threads, ScalarType::real_double);
}

TEST(CostModel, GrowsWithTheWorkAndFallsWithThreads) {
  const auto small = plan_of(io::generate("lap3d:6"));
  const auto large = plan_of(io::generate("lap3d:14"));
  EXPECT_LT(estimate(*small, 1).host, estimate(*large, 1).host);
  EXPECT_LT(estimate(*large, 4).host, estimate(*large, 1).host);
  EXPECT_LT(estimate(*small, 1).cuda, estimate(*large, 1).cuda);
  EXPECT_GT(estimate(*plan_of(diagonal_spd(0)), 1).host, 0.0);
}

/// The host solves these before a device could start its first kernel, so they do not even get a CUDA plan.
TEST(CostModel, SmallMatricesStayOnTheHost) {
  for (const char* name : {"lap2d:4", "lap2d:17", "lap2d:32", "lap3d:5", "lap3d:8"}) {
    const auto plan = make_plan(pattern_of(io::generate(name)), {});
    for (int threads : {1, 2, 16, 128}) {
      const CostEstimate cost = estimate(*plan, threads);
      EXPECT_LT(cost.host, cost.cuda) << name;
      EXPECT_TRUE(cost.cuda_is_lower_bound) << name;
    }
  }
}

TEST(FactorPlan, AddsAPlanForADeviceThatSharesTheRest) {
  const auto host = make_plan(pattern_of(io::generate("lap3d:8")), {});
  EXPECT_EQ(host->cuda_plan(), nullptr);
  EXPECT_THROW(host->cuda(), InvalidState);
  EXPECT_THROW(host->of(Backend::cuda), InvalidState);
  const auto both = with_cuda(host, {}, 1);
  EXPECT_EQ(&both->structure(), &host->structure());
  EXPECT_EQ(both->host_plan(), host->host_plan());
  EXPECT_EQ(both->cuda().structure.get(), &host->structure());
  EXPECT_GT(both->bytes(), host->bytes());
  EXPECT_EQ(with_cuda(both, {}, 1), both) << "nothing is made again for the same options";
}

TEST(FactorPlan, TaskGraphIsMadeForStreamsOnly) {
  const auto levels = plan_of(io::generate("lap3d:8"));
  EXPECT_TRUE(levels->cuda().schedule.graph.tasks.empty());
  EXPECT_TRUE(levels->cuda().streams.steps.empty());
  CudaPlanOptions options;
  options.schedule = CudaSchedule::streams;
  const auto streams = with_cuda(levels, options, 1);
  EXPECT_FALSE(streams->cuda().schedule.graph.tasks.empty());
  EXPECT_EQ(streams->cuda().schedule.subtrees.size(), levels->cuda().schedule.subtrees.size());
}

/// Reports count the tasks that run: those in the launches with `levels`, those of the task graph with `streams`.
TEST(FactorPlan, ReportedWorkIsThatOfTheChosenSchedule) {
  const auto plan = plan_of(io::generate("lap3d:12"));
  const cuda::LaunchPlan& launches = plan->cuda().launches;
  const PlannedWork work = plan->cuda().work();
  EXPECT_EQ(work.tasks,
            static_cast<std::int64_t>(launches.tiny.size() + launches.small.size() + launches.run.fronts.size() +
                                      launches.diagonal.size() + launches.scale.size() + launches.product.size()));
  EXPECT_GT(work.critical_path_flops, 0.0);
  EXPECT_LT(work.critical_path_flops, plan->structure().stored_flops);
  const auto dense = plan_of(dense_spd(30, 1));
  EXPECT_EQ(dense->cuda().work().tasks, 1);
  EXPECT_EQ(dense->cuda().work().critical_path_flops, dense->structure().stored_flops) << "one task is the whole path";
}

TEST(CostModel, FeaturesOfADenseMatrixAreKnown) {
  const CostFeatures dense = cost_features(*plan_of(dense_spd(130, 1)));
  EXPECT_EQ(dense.order, 130.0);
  EXPECT_EQ(dense.supernodes, 1.0);
  EXPECT_EQ(dense.levels, 3.0) << "pieces of 64, 64 and 2 columns";
  EXPECT_EQ(dense.path_columns, 130.0);
  EXPECT_EQ(dense.updates, 0.0);
  const CostFeatures diagonal = cost_features(*plan_of(diagonal_spd(50)));
  EXPECT_EQ(diagonal.levels, 1.0);
}

/// Every figure influences an estimate.
TEST(CostModel, EveryFigureInfluencesAnEstimate) {
  const auto plan = plan_of(io::generate("lap3d:14"));
  const CostFigures base;
  const CostEstimate before = estimate_cost(*plan, CostModel(base), 4, ScalarType::real_double);
  int figures = 0;
  for_each_host_figure(base.host, [&](const std::string& changed, double) {
    CostFigures other = base;
    for_each_host_figure(other.host, [&](const std::string& name, double& value) { value *= name == changed ? 3.0 : 1.0; });
    EXPECT_NE(estimate_cost(*plan, CostModel(other), 4, ScalarType::real_double).host, before.host) << changed;
    EXPECT_EQ(estimate_cost(*plan, CostModel(other), 4, ScalarType::real_double).cuda, before.cuda) << changed;
    ++figures;
  });
  for_each_cuda_figure(base.cuda, [&](const std::string& changed, double) {
    CostFigures other = base;
    for_each_cuda_figure(other.cuda, [&](const std::string& name, double& value) { value *= name == changed ? 3.0 : 1.0; });
    EXPECT_NE(estimate_cost(*plan, CostModel(other), 4, ScalarType::real_double).cuda, before.cuda) << changed;
    EXPECT_EQ(estimate_cost(*plan, CostModel(other), 4, ScalarType::real_double).host, before.host) << changed;
    ++figures;
  });
  // Times of launches, of levels and of a run that is cheaper than these, and the time per value.
  const auto seconds = [&](const CostFigures& f) {
    LaunchFigures cheap_run = f.launch;
    for (double* figure : {&cheap_run.run_seconds, &cheap_run.run_seconds_per_front, &cheap_run.run_seconds_per_strip})
      *figure *= 1e-3;
    const FrontTree fronts = plan->symbolic.fronts();
    return plan_cuda_fronts(fronts, f.launch).seconds + plan_cuda_fronts(fronts, cheap_run, {1, true}).run_seconds +
           CostModel(f).merge_costs().seconds_per_value;
  };
  CostFigures few_at_once;
  few_at_once.launch.tasks_at_once = 1.0;
  for_each_launch_figure(base.launch, [&](const std::string& changed, double) {
    CostFigures other = few_at_once;
    for_each_launch_figure(other.launch,
                           [&](const std::string& name, double& value) { value *= name == changed ? 1.01 : 1.0; });
    EXPECT_NE(seconds(other), seconds(few_at_once)) << changed;
    ++figures;
  });
  EXPECT_EQ(figures * static_cast<int>(sizeof(double)), static_cast<int>(sizeof(CostFigures))) << "all are visited";
}

TEST(CostModel, DevicesAreMatchedByNameOrCapabilityElseAssumedSlow) {
  const DeviceFigures measured;
  for (const char* name : {"0: NVIDIA H200, compute capability 9.0, 139.7 GiB", "1: NVIDIA GH200 480GB", "NVIDIA H100 PCIe",
                           "0: another, compute capability 9.0"}) {
    EXPECT_EQ(device_figures_of(name).cuda, measured.cuda) << name;
    EXPECT_EQ(device_figures_of(name).launch, measured.launch) << name;
  }
  for (const char* name : {"0: NVIDIA T4, compute capability 7.5", ""}) {
    const DeviceFigures other = device_figures_of(name);
    EXPECT_LT(other.cuda.flops_per_second, measured.cuda.flops_per_second) << name;
    EXPECT_GT(other.launch.scale_seconds_per_tile, measured.launch.scale_seconds_per_tile) << name;
  }
}

TEST(FactorPlan, IsTheSameOnAnyNumberOfThreads) {
  const io::SymmetricMatrix a = io::generate("elas:18");
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  const auto expected = make_plan(pattern, PlanOptions{});
  for (int threads : {2, 3, 8}) {
    PlanOptions options;
    options.symbolic.threads = threads;
    const auto plan = make_plan(pattern, options);
    EXPECT_EQ(plan->symbolic.rows, expected->symbolic.rows);
    EXPECT_EQ(plan->assembly.offset, expected->assembly.offset);
    EXPECT_EQ(plan->assembly.source, expected->assembly.source);
    EXPECT_EQ(plan->assembly.target, expected->assembly.target);
    EXPECT_EQ(plan->assembly.row, expected->assembly.row);
    EXPECT_EQ(plan->assembly.column, expected->assembly.column);
    EXPECT_EQ(plan->updates.relative_rows, expected->updates.relative_rows);
    EXPECT_EQ(plan->structure().pattern_hash, expected->structure().pattern_hash);
    EXPECT_EQ(plan->host().schedule.graph.tasks.size(), expected->host().schedule.graph.tasks.size());
  }
}

}  // namespace
}  // namespace gpusupernodal::test
