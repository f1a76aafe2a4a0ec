/// The launch lists of a level, which are built without a device.

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::LaunchPlan;

std::int64_t count(const auto& list) { return static_cast<std::int64_t>(list.size()); }

/// Inverses are merged in launches after those of their halves.
TEST(SolvePlan, InversesAreMergedAfterTheirHalves) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const CudaSolvePlan& solve = plan->cuda().solve;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> inverted;  // Width, by panel and first column.
    std::int64_t next = 0;
    for (const MergeInversesGroup& group : solve.inverse_merge_groups) {
      EXPECT_EQ(group.begin, next) << a.name;
      EXPECT_GT(group.count, 0) << a.name;
      next += group.count;
      for (std::int64_t k = group.begin; k < next; ++k) {
        const cuda::MergeInversesTask& task = solve.inverse_merges[static_cast<std::size_t>(k)];
        EXPECT_EQ(task.half, group.half) << a.name;
        const auto columns = [&](std::int32_t column) {
          const auto found = inverted.find({task.panel, column});
          return found == inverted.end() ? cuda::tile_size : found->second;
        };
        EXPECT_EQ(columns(task.column), task.half) << a.name;
        EXPECT_GE(columns(task.column + task.half), task.width) << a.name;
      }
      for (std::int64_t k = group.begin; k < next; ++k) {
        const cuda::MergeInversesTask& task = solve.inverse_merges[static_cast<std::size_t>(k)];
        inverted[{task.panel, task.column}] = task.half + task.width;
      }
    }
    EXPECT_EQ(next, count(solve.inverse_merges)) << a.name;
  }
}

/// If a level has thousands of narrow fronts, its list begins with them.
TEST(LaunchPlan, NarrowFrontsComeFirst) {
  const auto plan = cuda_plan_of(io::generate("lap2d:300"));
  const auto is_narrow = [&](const cuda::FrontTask& task) {
    const SupernodeId s(task.panel);
    return cuda::is_narrow(plan->symbolic.width(s), plan->symbolic.front(s));
  };
  const LaunchPlan launches = launches_of(*plan, 4);
  EXPECT_GE(launches.levels.front().narrow, cuda::many_narrow);
  for (const cuda::Level& level : launches.levels) {
    for (std::int32_t i = 0; level.narrow > 0 && i < level.tiny.count; ++i) {
      EXPECT_EQ(is_narrow(launches.tiny[static_cast<std::size_t>(level.tiny.begin + i)]), i < level.narrow);
    }
  }
  for (const cuda::Level& level : launches_of(*plan, 4, cuda::LaunchScope::everything, cuda::AdditionOrder::fixed).levels) {
    EXPECT_EQ(level.narrow, 0);
  }
}

/// Every 64-column piece has one diagonal block, and each row below it lies in one tile.
TEST(LaunchPlan, ListsEveryPieceOnce) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const LaunchPlan launches = launches_of(*plan, 4);
    std::int64_t whole = 0;
    std::int64_t diagonal = 0;
    std::int64_t scale = 0;
    std::int64_t product = 0;
    for (SupernodeId s : plan->symbolic.supernode_ids()) {
      const std::int32_t width = plan->symbolic.width(s);
      const std::int32_t front = plan->symbolic.front(s);
      if (plan->cuda().fronts.kind[s] != CudaFrontKind::pieces) {
        ++whole;
        continue;
      }
      for (std::int32_t p = 0; p < cuda::piece_count(width); ++p) {
        const std::int32_t below = front - p * cuda::tile_size - cuda::piece_width(width, p);
        ++diagonal;
        scale += (below + cuda::tile_size - 1) / cuda::tile_size;
        product += cuda::product_task_count(width, front, p);
      }
    }
    EXPECT_EQ(count(launches.tiny) + count(launches.small) + count(launches.run.fronts), whole);
    EXPECT_EQ(count(launches.diagonal), diagonal);
    EXPECT_EQ(count(launches.scale), scale);
    EXPECT_EQ(count(launches.product), product);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
