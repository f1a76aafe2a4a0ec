#include "solver/factor/chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "solver/host/plan/shared_sweep.hpp"
#include "solver/model/cost_model.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/tall_trees.hpp"

namespace gpusupernodal::test {
namespace {

PlanOptions natural(Merging merging = Merging::bounded) { return plan_options(Ordering::natural, merging); }

std::size_t max_tasks(const FactorPlan& plan) {
  return std::max({plan.host().schedule.graph.tasks.size(), plan.host().solve.forward.tasks.size(),
                   plan.host().solve.backward.tasks.size()});
}

/// Leaf subtrees of the default size would hide the chains of small matrices: here they are a hundredth of that.
PlanOptions with_small_subtrees(Merging merging) {
  PlanOptions options = natural(merging);
  options.host_schedule = ScheduleOptions();
  options.host_schedule->block_width = 128;
  options.host_schedule->max_subtree_flops = 4e4;
  options.host_schedule->max_chained_flops = 5e5;
  options.host_schedule->hand_over_flops = 5e3;
  return options;
}

/// Work of a plan in units of hand_over_flops, including the overhead of supernodes and updates.
double hand_overs_worth(const FactorPlan& plan) {
  const double work = plan.structure().stored_flops + 300.0 * plan.symbolic.supernodes() +
                      100.0 * static_cast<double>(plan.updates.updates.size());
  return work / plan.host().schedule.options.hand_over_flops;
}

/// However tall the tree, handing tasks over costs at most a constant factor of the work.
TEST(Chains, NumberOfTasksIsBoundedByTheWork) {
  for (const auto& a : tall_trees(6000)) {
    for (const Merging merging : {Merging::none, Merging::bounded}) {
      const auto plan = plan_of(a, with_small_subtrees(merging));
      SCOPED_TRACE(a.name + (merging == Merging::none ? ", not merged" : ", merged"));
      EXPECT_LE(static_cast<double>(max_tasks(*plan)), 10.0 + 4.0 * hand_overs_worth(*plan));
      EXPECT_GT(plan->structure().shape.height, 10);
    }
  }
}

/// A path of a million rows becomes few tasks of thousands of rows each, for which one worker is enough.
TEST(Chains, LongPathsBecomeFewTasks) {
  constexpr std::int64_t n = 1'000'000;
  for (const auto& a : {comb_spd(n, 0), comb_spd(n / 2, 1), broom_spd(n / 2, n / 2)}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a, natural());
    EXPECT_GT(plan->structure().shape.height, 10'000);
    EXPECT_LE(max_tasks(*plan), 50U);
  }
  const auto plan = plan_of(comb_spd(n, 0), natural());
  EXPECT_EQ(host_factor_workers(plan->structure().stored_flops, plan->host().work().critical_path_flops, 16), 1);
  for (const Graph<SolveTask>* graph : {&plan->host().solve.forward, &plan->host().solve.backward}) {
    const SharedSweep<SolveTask> sweep(*graph, 16);
    for (const double columns : {1.0, 64.0}) EXPECT_FALSE(sweep.pays(columns));
  }
}

/// Subtrees below a chain stay separate tasks if they are large enough: fifty teeth of a comb are leaf subtrees, and a path
/// through the task graph contains one tooth and the spine.
TEST(Chains, KeepLargeSubtreesAsSeparateTasks) {
  const auto plan = plan_of(comb_spd(50, 1500), with_small_subtrees(Merging::bounded));
  const auto leaves = plan->host().schedule.subtrees.size() - static_cast<std::size_t>(plan->host().schedule.chains);
  EXPECT_GE(leaves, 50U);
  EXPECT_GT(plan->structure().stored_flops, 20.0 * plan->host().schedule.graph.critical_path_flops);
  EXPECT_EQ(host_factor_workers(plan->structure().stored_flops, plan->host().work().critical_path_flops, 2), 1)
      << "little work";
  EXPECT_TRUE(SharedSweep<SolveTask>(plan->host().solve.forward, 4).pays(1.0));
}

/// A chain with much work does not wait for a second heavy child: the parent of that child begins a new chain.
TEST(Chains, StartAfterASecondHeavyChild) {
  const auto plan = plan_of(comb_spd(3, 4000), with_small_subtrees(Merging::none));
  const Schedule& schedule = plan->host().schedule;
  for (const SupernodeId s : plan->symbolic.supernode_ids()) {
    if (!schedule.in_chain(s)) continue;
    std::int32_t children_outside = 0;
    for (const SupernodeId c : plan->symbolic.supernode_ids()) {
      const bool outside = plan->symbolic.parent[c] == s && schedule.subtree_of[c] != schedule.subtree_of[s];
      children_outside += outside ? 1 : 0;
    }
    if (children_outside > 0) {
      EXPECT_EQ(schedule.subtrees[schedule.subtree_of[s]].first, s);
    }
  }
}

/// CUDA plans have no chains: their leaf subtrees subtract from their ancestors directly.
TEST(Chains, AreMadeForTheHostOnly) {
  const auto plan = plan_of(comb_spd(20000, 1), with_small_subtrees(Merging::none));
  EXPECT_GT(plan->host().schedule.chains, 0);
  EXPECT_EQ(plan->cuda().schedule.chains, 0);
}

}  // namespace
}  // namespace gpusupernodal::test
