/// The launch of whole fronts of several levels: which fronts it has, and in which order.

#include "solver/cuda/plan/level_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/common/tile_shapes.hpp"
#include "tests/solver/cuda/plan/launch_interpreter.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::RunFront;
using cuda::RunGroup;
using cuda::RunLists;

/// A plan for a device on which a run is much faster than launches of levels, or much slower.
std::shared_ptr<const FactorPlan> plan_with(const io::SymmetricMatrix& a, double run_seconds, bool deterministic = false) {
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  CudaPlanOptions options;
  options.launch.run_seconds = run_seconds;
  options.launch.run_seconds_per_front = options.launch.run_seconds_per_strip = run_seconds;
  options.deterministic = deterministic;
  return with_cuda(make_plan(pattern, {}), options, 1);
}
constexpr double fast = 1e-12;
constexpr double slow = 1.0;

/// Fronts that are whole, as are all of their descendants.
std::vector<bool> whole_subtrees(const SymbolicFactor& factor) {
  std::vector<bool> whole(static_cast<std::size_t>(factor.supernodes()), true);
  for (SupernodeId s : factor.supernode_ids()) {
    const auto at = static_cast<std::size_t>(s.value);
    if (!cuda::is_whole_front(factor.width(s), factor.front(s))) whole[at] = false;
    if (factor.parent[s].valid() && !whole[at]) whole[static_cast<std::size_t>(factor.parent[s].value)] = false;
  }
  return whole;
}

TEST(LevelRun, HasEveryFrontWithoutCutDescendants) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = plan_with(a, fast);
    const RunLists& run = plan->cuda().launches.run;
    const std::vector<bool> whole = whole_subtrees(plan->symbolic);
    if (run.first_level < 0) continue;
    std::vector<int> found(whole.size(), 0);
    for (const RunFront& front : run.fronts) ++found[static_cast<std::size_t>(front.task.panel)];
    for (SupernodeId s : plan->symbolic.supernode_ids()) {
      const auto at = static_cast<std::size_t>(s.value);
      EXPECT_EQ(found[at], whole[at] && plan->cuda().fronts.first_level[s] >= run.first_level ? 1 : 0) << a.name;
    }
  }
}

/// Fronts wait only for fronts of earlier groups, so no order of CTAs can block.
TEST(LevelRun, FrontsComeAfterTheirChildren) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = plan_with(a, fast);
    const SymbolicFactor& factor = plan->symbolic;
    const RunLists& run = plan->cuda().launches.run;
    std::vector<std::int32_t> children(static_cast<std::size_t>(factor.supernodes()), 0);
    std::vector<bool> done(children.size(), false);
    for (const RunFront& front : run.fronts) {
      const SupernodeId s(front.task.panel);
      EXPECT_EQ(front.children, children[static_cast<std::size_t>(s.value)]) << a.name;
      EXPECT_EQ(front.task.stride, cuda::small_stride(factor.width(s), factor.front(s))) << a.name;
      done[static_cast<std::size_t>(s.value)] = true;
      if (front.parent < 0) continue;
      EXPECT_EQ(front.parent, factor.parent[s].value) << a.name;
      EXPECT_FALSE(done[static_cast<std::size_t>(front.parent)]) << a.name;
      ++children[static_cast<std::size_t>(front.parent)];
    }
  }
}

TEST(LevelRun, GroupsFitTheirCtas) {
  for (const io::SymmetricMatrix& a : {io::generate("lap2d:60"), io::generate("lap3d:14"), io::generate("elas:6")}) {
    const auto plan = plan_with(a, fast);
    const RunLists& run = plan->cuda().launches.run;
    ASSERT_GE(run.first_level, 0) << a.name;
    std::int32_t next = 0;
    for (const RunGroup& group : run.groups) {
      EXPECT_EQ(group.first, next) << a.name;
      EXPECT_LE(group.narrow, cuda::run_warps) << a.name;
      next += std::max(group.narrow, 1);
      for (std::int32_t i = group.first; i < next; ++i) {
        const SupernodeId s(run.fronts[static_cast<std::size_t>(i)].task.panel);
        const std::int32_t width = plan->symbolic.width(s), front = plan->symbolic.front(s);
        EXPECT_EQ(cuda::is_narrow(width, front), group.narrow > 0) << a.name;
        for (std::int32_t other = group.first; other < next; ++other)
          EXPECT_NE(run.fronts[static_cast<std::size_t>(i)].parent, run.fronts[static_cast<std::size_t>(other)].task.panel);
        if (group.narrow == 0) {
          EXPECT_LE(cuda::small_size(width, front), run.entries) << a.name;
        }
      }
    }
    EXPECT_EQ(next, static_cast<std::int32_t>(run.fronts.size())) << a.name;
    EXPECT_LE(run.entries, cuda::small_entries) << a.name;
  }
}

/// Every front is in the run or in the launches of its level, and the launches compute L.
TEST(LevelRun, LaunchesFactorize) {
  for (const io::SymmetricMatrix& a : matrices()) {
    for (const double seconds : {fast, slow}) {
      const auto plan = plan_with(a, seconds);
      LaunchInterpreter device(plan->cuda());
      device.assemble(a);
      for (std::size_t level = 0; level < plan->cuda().launches.levels.size(); ++level) {
        device.begin_level(level);
        device.end_level(level);
      }
      const auto value = [&](SupernodeId s, std::int32_t i, std::int32_t j) {
        return device.values[static_cast<std::size_t>(plan->panels.index(s, i, j))];
      };
      EXPECT_LE(error_of(a, plan->structure(), value), error_of_bound(a)) << a.name;
    }
  }
}

TEST(LevelRun, IsNotTakenWhereItIsSlowOrTheOrderIsFixed) {
  for (const io::SymmetricMatrix& a : matrices()) {
    for (const auto& plan : {plan_with(a, slow), plan_with(a, fast, true)}) {
      EXPECT_LT(plan->cuda().launches.run.first_level, 0) << a.name;
      EXPECT_TRUE(plan->cuda().launches.run.fronts.empty()) << a.name;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
