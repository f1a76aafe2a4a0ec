#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Maximum rows or columns of one product task in a sweep for several right-hand sides.
std::int32_t max_rows(const CudaSolveSweep& sweep) {
  std::int32_t largest = 0;
  for (const CudaSolveTask& task : sweep.tasks) {
    if (task.kind == cuda::SolveKind::rows) largest = std::max(largest, task.row_end - task.row_begin);
  }
  return largest;
}
std::int32_t max_columns(const CudaSolveSweep& sweep) {
  std::int32_t largest = 0;
  for (const CudaSolveTask& task : sweep.tasks) {
    if (task.kind == cuda::SolveKind::columns) largest = std::max(largest, task.width);
  }
  return largest;
}

/// Dense blocks of 300 columns with 100 rows below. With more blocks, each has a smaller share of L and larger tasks.
TEST(CrowdedFronts, HaveLargerTasks) {
  const auto solve_of = [](std::int64_t cliques) { return plan_of(joined_cliques_spd(cliques, 300, 100, 3))->cuda().solve; };
  const CudaSolvePlan few = solve_of(3);
  EXPECT_EQ(max_rows(few.forward), cuda::solve_outputs);
  EXPECT_EQ(max_columns(few.backward), cuda::solve_outputs);
  const CudaSolvePlan some = solve_of(8);
  EXPECT_EQ(max_rows(some.forward), 2 * cuda::solve_outputs);
  EXPECT_EQ(max_columns(some.backward), cuda::solve_outputs);
  const CudaSolvePlan many = solve_of(40);
  EXPECT_EQ(max_rows(many.forward), 2 * cuda::solve_outputs);
  EXPECT_EQ(max_columns(many.backward), 2 * cuda::solve_outputs);
}

}  // namespace
}  // namespace gpusupernodal::test
