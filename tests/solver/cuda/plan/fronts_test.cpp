/// How the fronts of a level are factorized on a device: the choices of the cost model, and invariants of every choice.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/model/cuda_fronts.hpp"
#include "solver/symbolic/supernodes.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

/// `leaves` fronts of `width` columns and `rows` rows below, all children of one supernode of `rows` columns.
SupernodeForest star(std::int32_t leaves, std::int32_t width, std::int32_t rows) {
  SupernodeForest forest;
  for (std::int32_t s = 0; s <= leaves; ++s) {
    forest.first_column.push_back(NewIndex(s * width));
    forest.parent.push_back(s < leaves ? SupernodeId(leaves) : SupernodeId());
    forest.rows_below.push_back(s < leaves ? rows : 0);
  }
  forest.first_column.push_back(NewIndex(leaves * width + rows));
  return forest;
}

TEST(CudaFronts, LoneFrontsAreFactorizedInPieces) {
  const LaunchFigures figures;
  EXPECT_EQ(plan_cuda_fronts(star(0, 1, 200).fronts(), figures).kind.back(), CudaFrontKind::pieces);
  for (const std::int32_t width : {65, 130, 1000}) {
    const CudaFronts fronts = plan_cuda_fronts(star(1, width, 10).fronts(), figures);
    EXPECT_EQ(fronts.kind[SupernodeId(0)], CudaFrontKind::pieces);
    EXPECT_EQ(fronts.first_level.back(), cuda::piece_count(width));
  }
}

/// Thousands of tiny fronts justify a separate launch, whatever else the level contains.
TEST(CudaFronts, ManyEqualFrontsStayTogether) {
  SupernodeForest forest = star(20000, 8, 40);
  EXPECT_EQ(plan_cuda_fronts(forest.fronts(), LaunchFigures()).kind[SupernodeId(0)], CudaFrontKind::tiny);
  forest = star(20000, 48, 60);
  EXPECT_EQ(plan_cuda_fronts(forest.fronts(), LaunchFigures()).kind[SupernodeId(0)], CudaFrontKind::small);
}

/// A few small fronts join the launches of a wide front in the same level instead of needing a separate launch.
TEST(CudaFronts, FewSmallFrontsJoinTheLaunchesOfPieces) {
  SupernodeForest forest = star(2, 40, 90);
  forest.first_column[SupernodeId(2)] = NewIndex(240);
  forest.first_column[SupernodeId(3)] = NewIndex(330);
  ASSERT_EQ(natural_front_kind(40, 130), CudaFrontKind::small);
  const CudaFronts fronts = plan_cuda_fronts(forest.fronts(), LaunchFigures());
  EXPECT_EQ(fronts.kind[SupernodeId(0)], CudaFrontKind::pieces);
  EXPECT_EQ(fronts.levels.front().small_fronts, 0.0);
  EXPECT_EQ(fronts.levels.front().diagonal_blocks, 2.0);
  EXPECT_EQ(fronts.levels.front().diagonal_strips, 4.0);
}

/// If diagonal blocks are expensive, every front that can be factorized whole is.
TEST(CudaFronts, ExpensiveDiagonalBlocksFavourWholeFronts) {
  LaunchFigures dear_blocks;
  dear_blocks.tasks_at_once = 0.0;
  dear_blocks.diagonal_seconds_per_block = 1.0;
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const CudaFronts fronts = plan_cuda_fronts(plan->symbolic.fronts(), dear_blocks);
    for (SupernodeId s : plan->symbolic.supernode_ids()) {
      const bool whole = cuda::is_whole_front(plan->symbolic.width(s), plan->symbolic.front(s));
      EXPECT_EQ(fronts.kind[s] != CudaFrontKind::pieces, whole) << a.name;
    }
  }
}

/// Requirements of the kernels: tiny fronts fit a warp, small ones fit a CTA, and products read padded panels only.
TEST(CudaFronts, SizesMatchTheKindOfEveryFront) {
  LaunchFigures dear_fronts;
  dear_fronts.tiny_seconds = dear_fronts.small_seconds = 1.0;
  for (const LaunchFigures& figures : {LaunchFigures(), dear_fronts}) {
    for (const io::SymmetricMatrix& a : matrices()) {
      const auto plan = cuda_plan_of(a);
      const SymbolicFactor& factor = plan->symbolic;
      const CudaFronts fronts = plan_cuda_fronts(factor.fronts(), figures);
      for (SupernodeId s : factor.supernode_ids()) {
        const std::int32_t width = factor.width(s);
        const std::int32_t front = factor.front(s);
        if (fronts.kind[s] == CudaFrontKind::tiny) {
          EXPECT_TRUE(cuda::is_tiny(width, front)) << a.name;
        }
        if (fronts.kind[s] == CudaFrontKind::small) {
          EXPECT_TRUE(cuda::is_whole_front(width, front)) << a.name;
        }
        if (fronts.kind[s] == CudaFrontKind::pieces && front > width) {
          EXPECT_EQ(plan->panels.value_offset[s] % cuda::tile_alignment, 0) << a.name;
          EXPECT_EQ(plan->panels.ld[s] % cuda::tile_alignment, 0) << a.name;
        }
      }
    }
  }
}

/// The work of all levels adds up to the tasks that the device gets, and their times to the estimate.
TEST(CudaFronts, LevelsAddUpToAllTasks) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const CudaFronts& fronts = plan->cuda().fronts;
    const cuda::LaunchPlan& launches = plan->cuda().launches;
    const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
    CudaLevelWork all;
    double seconds = 0.0;
    for (const CudaLevelWork& level : fronts.levels) {
      all.add(level);
      seconds += cuda_level_seconds(level, plan->cuda().options.launch);
    }
    EXPECT_EQ(all.tiny_fronts, count(launches.tiny)) << a.name;
    EXPECT_EQ(all.small_fronts, count(launches.small)) << a.name;
    EXPECT_EQ(std::count(fronts.in_run.begin(), fronts.in_run.end(), true), std::ssize(launches.run.fronts)) << a.name;
    EXPECT_EQ(all.diagonal_blocks + all.ahead_blocks, count(launches.diagonal)) << a.name;
    EXPECT_EQ(all.scale_tiles, count(launches.scale)) << a.name;
    EXPECT_EQ(all.product_tiles, count(launches.product)) << a.name;
    EXPECT_EQ(seconds + fronts.run_seconds, fronts.seconds) << a.name;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
