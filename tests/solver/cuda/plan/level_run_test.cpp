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

/// A plan for a device on which a run and each of its fronts take `run_seconds`.
std::shared_ptr<const FactorPlan> plan_with(const io::SymmetricMatrix& a, double run_seconds, bool deterministic = false,
                                            bool as_given = false) {
  PatternView pattern;
  pattern.n = a.n;
  pattern.offsets = a.offsets.data();
  pattern.indices = a.indices.data();
  CudaPlanOptions options;
  options.launch.run_seconds = run_seconds;
  options.launch.run_seconds_per_front = options.launch.run_seconds_per_strip = run_seconds;
  options.deterministic = deterministic;
  PlanOptions of_plan;
  if (as_given) {
    of_plan.symbolic.ordering = Ordering::natural;
    of_plan.symbolic.merging = Merging::none;
  }
  return with_cuda(make_plan(pattern, of_plan), options, 1);
}
constexpr double fast = 1e-12;  ///< Much faster than launches of levels.
constexpr double slow = 1.0;

/// Independent parts: in the first one, a front with many rows whose parent has a long chain of small fronts below it too;
/// in the others, long chains of small fronts whose second front has rows of the last one only.
io::SymmetricMatrix far_parents() {
  constexpr std::int64_t wide = 64, below = 288, parent = 1100, chains = 6, first = 48, chain = 1200, block = 24;
  constexpr std::int64_t others = wide + below + parent, rows = first + chain;
  io::SymmetricMatrix a;
  a.name = "far-parents";
  a.n = others + chains * rows;
  const auto in_chain = [](std::int64_t i, std::int64_t j) { return i / block <= j / block + 1; };
  const auto is_entry = [&](std::int64_t i, std::int64_t j) {
    if (j < wide) return i < wide || (i >= wide + below && i < others);
    if (j < wide + below) return in_chain(i - wide, j - wide);
    if (j < others) return i < others;
    const std::int64_t begin = others + (j - others) / rows * rows;
    if (i >= begin + rows) return false;
    if (j - begin < block) return i - begin < first;
    if (j - begin < first) return i - begin < first || i - begin >= rows - block;
    return in_chain(i - begin, j - begin);
  };
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t i = j; i < a.n; ++i) {
      if (!is_entry(i, j)) continue;
      a.indices.push_back(static_cast<std::int32_t>(i));
      a.values.push_back(i == j ? 2.0 * static_cast<double>(others) : 1.0 / static_cast<double>(1 + i - j));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

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

/// All fronts of the run may begin with its launch, whatever their levels, so products for any of them end before.
TEST(LevelRun, LateProductsEndBeforeIt) {
  const io::SymmetricMatrix a = far_parents();
  std::int64_t for_higher_levels = 0;
  for (double seconds = 2e-6; seconds < 3e-6; seconds *= 1.05) {  // From a run of all levels to none.
    const auto plan = plan_with(a, seconds, /*deterministic=*/false, /*as_given=*/true);
    const cuda::LaunchPlan& launches = plan->cuda().launches;
    const SymbolicFactor& factor = plan->symbolic;
    if (launches.run.first_level <= 0) continue;
    std::vector<std::int32_t> deadline(launches.product.size(), 0);
    for (const cuda::ProductGroup& group : launches.groups)
      std::fill_n(deadline.begin() + group.tiles.begin, group.tiles.count, group.deadline);
    for (std::size_t i = 0; i < deadline.size(); ++i) {
      const cuda::ProductTask& task = launches.product[i];
      const SupernodeId s(task.panel);
      const std::int32_t below = std::max(task.col, task.first) - factor.width(s);
      if (below < 0) continue;
      const SupernodeId target = factor.supernode_of[factor.rows_of(s)[static_cast<std::size_t>(below)]];
      if (!plan->cuda().fronts.in_run[static_cast<std::size_t>(target.value)]) continue;
      for_higher_levels += launches.first_level[target] > launches.run.first_level ? 1 : 0;
      EXPECT_LE(deadline[i], launches.run.first_level) << "run_seconds = " << seconds;
    }
  }
  EXPECT_GT(for_higher_levels, 0);
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
