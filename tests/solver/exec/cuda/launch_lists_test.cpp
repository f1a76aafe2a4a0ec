/// What a level launches apart or beside the others, which is decided without a device.

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "solver/exec/cuda/launch_plan.hpp"
#include "solver/plan/cuda_memory.hpp"
#include "solver/plan/cuda_tiling.hpp"
#include "tests/solver/exec/cuda/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::build_launch_plan;
using cuda::LaunchPlan;

std::int64_t count(const auto& container) { return static_cast<std::int64_t>(container.size()); }

/// Inverses become wider in launches that come after those of their halves, and after the levels of their columns.
TEST(LaunchPlan, InversesWidenAfterTheirHalves) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = plan_of(a);
    for (const std::int32_t streams : {1, 4}) {
      const LaunchPlan launches = build_launch_plan(*plan, streams);
      std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> inverted;  // Columns of the block that begins at each.
      std::int64_t next = 0;
      std::int32_t last = 0;
      for (const cuda::WidenGroup& group : launches.widenings) {
        EXPECT_EQ(group.tasks.begin, next) << a.name;
        EXPECT_LE(last, group.level) << a.name;
        EXPECT_TRUE(streams > 1 || group.level == cuda::after_all_levels) << a.name;
        for (std::int64_t k = group.tasks.begin; k < group.tasks.begin + group.tasks.count; ++k) {
          const cuda::WidenTask& task = launches.widen[static_cast<std::size_t>(k)];
          EXPECT_EQ(task.half, group.half) << a.name;
          const auto columns = [&](std::int32_t column) {
            const auto found = inverted.find({task.panel, column});
            return found == inverted.end() ? cuda_tile : found->second;
          };
          EXPECT_EQ(columns(task.column), task.half) << a.name;
          EXPECT_GE(columns(task.column + task.half), task.width) << a.name;
          const std::int32_t piece = (task.column + task.half + task.width - 1) / cuda_tile;
          EXPECT_GE(group.level, launches.first_level[SupernodeId(task.panel)] + piece) << a.name;
        }
        for (std::int64_t k = group.tasks.begin; k < group.tasks.begin + group.tasks.count; ++k) {
          const cuda::WidenTask& task = launches.widen[static_cast<std::size_t>(k)];
          inverted[{task.panel, task.column}] = task.half + task.width;
        }
        next += group.tasks.count;
        last = group.level;
      }
      EXPECT_EQ(next, static_cast<std::int64_t>(launches.widen.size())) << a.name;
    }
  }
}

/// Thousands of narrow fronts in a level begin its list.
TEST(LaunchPlan, NarrowFrontsComeFirst) {
  const auto plan = plan_of(io::generate("lap2d:300"));
  const auto is_narrow = [&](const cuda::FrontTask& task) {
    const SupernodeId s(task.panel);
    return cuda_is_narrow(plan->symbolic.width(s), plan->symbolic.front(s));
  };
  const LaunchPlan launches = build_launch_plan(*plan, 4);
  EXPECT_GE(launches.levels.front().narrow, cuda_many_narrow);
  for (const cuda::Level& level : launches.levels) {
    for (std::int32_t i = 0; level.narrow > 0 && i < level.tiny.count; ++i) {
      EXPECT_EQ(is_narrow(launches.tiny[static_cast<std::size_t>(level.tiny.begin + i)]), i < level.narrow);
    }
  }
  for (const cuda::Level& level :
       build_launch_plan(*plan, 4, cuda::LaunchScope::everything, cuda::AdditionOrder::fixed).levels) {
    EXPECT_EQ(level.narrow, 0);
  }
}

/// For both schedules, and with and without a fixed order.
TEST(LaunchPlan, MemoryCountsWhatIsBuilt) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = plan_of(a);
    for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
      for (const bool deterministic : {false, true}) {
        SCOPED_TRACE(a.name + (schedule == CudaSchedule::levels ? ", levels" : ", streams") +
                     (deterministic ? ", fixed" : ""));
        const auto scope =
            schedule == CudaSchedule::levels ? cuda::LaunchScope::everything : cuda::LaunchScope::leaf_subtrees;
        const auto order = deterministic ? cuda::AdditionOrder::fixed : cuda::AdditionOrder::any;
        const LaunchPlan launches = build_launch_plan(*plan, 4, scope, order);
        const CudaTaskCounts counts = count_cuda_tasks(*plan, {sizeof(double), false, schedule, deterministic});
        EXPECT_EQ(counts.tiny, count(launches.tiny));
        EXPECT_EQ(counts.small, count(launches.small));
        EXPECT_EQ(counts.diagonal, count(launches.diagonal));
        EXPECT_EQ(counts.scale, count(launches.scale));
        EXPECT_EQ(counts.product, count(launches.product));
        EXPECT_EQ(count(plan->cuda().solve.widenings), count(launches.widen));
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
