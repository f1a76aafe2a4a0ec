/// What kernels assume of tasks in panels of several block columns.

#include <gtest/gtest.h>

#include <vector>

#include "kernels/common/tile_shapes.hpp"
#include "tests/solver/cuda/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/random_patterns.hpp"

namespace gpusupernodal::test {
namespace {

std::vector<io::SymmetricMatrix> wide_matrices() {
  return {dense_spd(700, 1), dense_spd(1500, 1), single_front(1100, 700), joined_cliques_spd(3, 530, 1040, 2)};
}

template <class Check>
void for_each_wide_plan(const Check& check) {
  for (const io::SymmetricMatrix& a : wide_matrices()) {
    SCOPED_TRACE(a.name);
    check(*cuda_plan_of(a));
  }
}

void expect_one_block(std::int32_t column, std::int32_t width) {
  EXPECT_EQ(first_of_block(column), first_of_block(column + width - 1)) << "columns " << column << " and on: " << width;
}

TEST(PanelBlocks, FactorTasksStayInOneBlockColumn) {
  for_each_wide_plan([](const FactorPlan& plan) {
    const cuda::LaunchPlan& launches = plan.cuda().launches;
    for (const cuda::DiagonalTask& task : launches.diagonal) {
      expect_one_block(task.column, task.width);
      if (task.before > 0) expect_one_block(task.column - task.before, task.before);
    }
    for (const cuda::TrsmTask& task : launches.scale) expect_one_block(task.column, task.width);
    for (const cuda::MergeInversesTask& task : plan.cuda().solve.inverse_merges)
      expect_one_block(task.column, task.half + task.width);
  });
}

/// Sources begin at a border of pieces, so that the stages of a tile's product do not cross a border of block columns, and
/// every row of a tile is stored in all block columns of the source.
TEST(PanelBlocks, ProductsReadStoredRowsOnly) {
  std::int32_t borders = 0;
  for_each_wide_plan([&](const FactorPlan& plan) {
    for (const cuda::ProductTask& task : plan.cuda().launches.product) {
      const std::int32_t last = task.column + task.depth - 1;
      EXPECT_EQ(task.column % cuda::tile_size, 0);
      EXPECT_GE(task.row, first_of_block(last));
      EXPECT_GE(task.col, first_of_block(last));
      borders += first_of_block(last) > first_of_block(task.column) ? 1 : 0;
    }
  });
  EXPECT_GT(borders, 0) << "no product crosses a border";
}

TEST(PanelBlocks, SolveTasksStayInOneBlockColumn) {
  for_each_wide_plan([](const FactorPlan& plan) {
    const CudaSolvePlan& solve = plan.cuda().solve;
    for (const CudaSolveSweep* sweep : {&solve.forward, &solve.backward, &solve.forward_one_rhs, &solve.backward_one_rhs,
                                        &solve.forward_float, &solve.backward_float}) {
      for (const CudaSolveTask& task : sweep->tasks) {
        if (is_group(task.kind)) continue;
        expect_one_block(task.column, task.width);
        EXPECT_GE(task.row_begin, first_of_block(task.column));
      }
      for (const CudaSolveTask& task : sweep->warp_tasks) expect_one_block(task.column, task.width);
    }
  });
}

}  // namespace
}  // namespace gpusupernodal::test
