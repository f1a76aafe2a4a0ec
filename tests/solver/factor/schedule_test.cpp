#include "solver/factor/schedule.hpp"

#include <gtest/gtest.h>

#include "solver/host/plan/solve_schedule.hpp"
#include "tests/solver/factor/schedule_cases.hpp"
#include "tests/solver/factor/schedule_checks.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/data.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/tall_trees.hpp"

namespace gpusupernodal::test {
namespace {

void expect_lawful(const SymbolicFactor& factor, const UpdateList& updates, const Schedule& schedule) {
  expect_subtrees(factor, schedule);
  expect_graph(schedule.graph);
  TaskLaws(factor, updates, schedule).expect_all();
}

TEST(Schedule, SatisfiesTheLawsOnSmallMatrices) {
  for (const auto& a : small_matrices()) {
    for (Merging merging : {Merging::none, Merging::bounded}) {
      const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, merging);
      const UpdateList updates = build_updates(factor);
      for (const ScheduleOptions& options : schedule_cases()) {
        SCOPED_TRACE(a.name + ": " + describe(options));
        expect_lawful(factor, updates, build_schedule(factor, updates, options));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Schedule, SatisfiesTheLawsOnTallTrees) {
  std::int64_t chains = 0;
  for (const auto& a : tall_trees(200)) {
    for (Merging merging : {Merging::none, Merging::bounded}) {
      const SymbolicFactor factor = analyze(graph_of(a), Ordering::natural, merging);
      const UpdateList updates = build_updates(factor);
      for (const ScheduleOptions& options : schedule_cases()) {
        SCOPED_TRACE(a.name + ": " + describe(options));
        const Schedule schedule = build_schedule(factor, updates, options);
        chains += schedule.chains;
        expect_lawful(factor, updates, schedule);
        const SolveSchedule solve = build_solve_schedule(factor, schedule);
        expect_graph(solve.forward);
        expect_graph(solve.backward);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(chains, 10'000);
}

TEST(Schedule, SatisfiesTheLawsOnRealMatrices) {
  for (const auto& path : project_matrices()) {
    const auto plan = plan_of(io::read_matrix_market(path), plan_options(Ordering::amd, Merging::bounded));
    if (plan->updates.relative_rows.size() > 200'000) continue;  // The plain check of updates is quadratic in this number.
    const Schedule for_device = build_schedule(plan->symbolic, plan->updates, plan->cuda().schedule.options);
    for (const Schedule* schedule : {&plan->host().schedule, &for_device}) {
      SCOPED_TRACE(path + ": " + describe(schedule->options));
      expect_lawful(plan->symbolic, plan->updates, *schedule);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Groups of last rows come between supernodes and their parents, so some subtrees are not intervals.
TEST(Schedule, SatisfiesTheLawsWithLastRows) {
  int cut = 0;
  for (const auto& a : small_matrices()) {
    std::vector<std::vector<std::int64_t>> last_rows(2);
    for (std::int64_t row = 0; row < a.n; ++row) {
      if (row % 5 == 2) last_rows[static_cast<std::size_t>(row % 2)].push_back(row);
    }
    SymbolicOptions symbolic;
    symbolic.last_rows = last_rows;
    SymbolicReport report;
    const SymbolicFactor factor = analyze_graph(graph_of(a), symbolic, report);
    for (SupernodeId s : factor.supernode_ids()) cut += factor.subtree_first[s].valid() ? 0 : 1;
    const UpdateList updates = build_updates(factor);
    for (const ScheduleOptions& options : schedule_cases()) {
      SCOPED_TRACE(a.name + ": " + describe(options));
      expect_lawful(factor, updates, build_schedule(factor, updates, options));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(cut, 100);
}

TEST(Schedule, WithoutLimitsIsOneTask) {
  const SymbolicFactor factor = analyze(graph_of(io::generate("lap2d:9")), Ordering::amd, Merging::bounded);
  const Schedule schedule = build_schedule(factor, build_updates(factor), ScheduleOptions());
  EXPECT_EQ(schedule.graph.tasks.size(), 1U);
  EXPECT_EQ(schedule.block_columns.size(), 0U);
}

/// A dense matrix of p = n/b blocks has p potrf, p(p−1)/2 trsm, p(p²−1)/6 update, p assemble and 1 complete tasks.
TEST(Schedule, CountsTheTasksOfADenseMatrix) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(128, 1)), Ordering::natural, Merging::none);
  ScheduleOptions options;
  options.block_width = 16;
  options.max_subtree_flops = 0.0;
  const Schedule schedule = build_schedule(factor, build_updates(factor), options);
  constexpr std::size_t p = 8;
  EXPECT_EQ(schedule.graph.tasks.size(), p + p + p * (p - 1) / 2 + p * (p * p - 1) / 6 + 1);
}

/// Solves with a dense matrix of p blocks of b columns: in both directions, a diagonal block waits only for the product
/// beside the diagonal, so the critical path has p triangles and p − 1 tiles.
TEST(SolveSchedule, WaitsForOneTilePerBlockInBothDirections) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(128, 1)), Ordering::natural, Merging::none);
  ScheduleOptions options;
  options.block_width = 16;
  options.max_subtree_flops = 0.0;
  const SolveSchedule solve = build_solve_schedule(factor, build_schedule(factor, build_updates(factor), options));
  constexpr double p = 8;
  constexpr double b = 16;
  EXPECT_EQ(solve.forward.critical_path_flops, p * b * b + (p - 1) * 2 * b * b);
  EXPECT_EQ(solve.backward.critical_path_flops, p * b * b + (p - 1) * 2 * b * b);
}

/// A subtree's solve counts two operations per entry of L below the diagonal blocks and one per entry of a square block.
TEST(SolveSchedule, CountsTheWorkOfASubtree) {
  const SymbolicFactor factor = analyze(graph_of(io::generate("lap2d:9")), Ordering::amd, Merging::bounded);
  const SolveSchedule solve = build_solve_schedule(factor, build_schedule(factor, build_updates(factor), ScheduleOptions()));
  double flops = 0.0;
  for (SupernodeId s : factor.supernode_ids()) {
    const double width = factor.width(s);
    flops += width * width + 2.0 * width * factor.rows_below(s);
  }
  EXPECT_EQ(solve.forward.critical_path_flops, flops);
  EXPECT_EQ(solve.backward.critical_path_flops, flops);
}

}  // namespace
}  // namespace gpusupernodal::test
