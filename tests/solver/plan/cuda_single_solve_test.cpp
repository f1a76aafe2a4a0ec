#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "io/symmetric_matrix.hpp"
#include "solver/plan/cuda_solve.hpp"
#include "solver/plan/cuda_tiling.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::int64_t round_up(std::int64_t rows) { return (rows + cuda_alignment - 1) / cuda_alignment * cuda_alignment; }

/// Entries that a task has in shared memory: a whole panel with its padding, or rows from a multiple of four to one.
std::int64_t staged_entries(const FactorPlan& plan, const CudaSolveTask& t) {
  if (t.kind == CudaSolveKind::whole || t.kind == CudaSolveKind::whole_by_warp) {
    return std::int64_t{plan.panels.ld[SupernodeId(t.supernode)]} * t.width;
  }
  const std::int64_t rows = t.row_end - t.row_begin;
  if (t.kind == CudaSolveKind::diagonal) return round_up(t.width) * rows;
  return round_up(t.row_begin % cuda_alignment + rows) * t.width;
}

TEST(CudaSingleSolve, TasksFitIntoSharedMemory) {
  for (const io::SymmetricMatrix& a :
       {io::generate("lap3d:12"), io::generate("lap2d:30"), io::generate("elas:6"), joined_cliques_spd(2, 1100, 90, 3)}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    for (const CudaSolveSweep* sweep : {&plan->cuda().solve.forward_single, &plan->cuda().solve.backward_single}) {
      auto tasks = sweep->warp_tasks;
      for (const CudaSolveTask& t : sweep->tasks) {
        if (t.kind != CudaSolveKind::warps) tasks.push_back(t);
      }
      for (const CudaSolveTask& t : tasks) {
        const std::int64_t of_warp = t.large ? cuda_single_large_entries : cuda_single_warp_entries;
        EXPECT_LE(staged_entries(*plan, t), t.kind == CudaSolveKind::whole_by_warp ? of_warp : cuda_single_entries);
      }
    }
  }
}

/// The last chunk of each block adds up the others, which come before it and leave their sums where it reads them.
TEST(CudaSingleSolve, TheLastChunkAddsUpTheOthers) {
  for (const char* name : {"lap3d:16", "elas:7"}) {
    for (const bool dense : {false, true}) {
      const auto plan = plan_of(dense ? joined_cliques_spd(2, 1100, 90, 3) : io::generate(name));
      const CudaSolvePlan& solve = plan->cuda().solve;
      std::vector<std::int32_t> owner(static_cast<std::size_t>(solve.partials_single), -1);
      std::int64_t read = 0;
      for (const CudaSolveTask& task : solve.backward_single.tasks) {
        const std::int32_t first = plan->symbolic.first_column[SupernodeId(task.supernode)].value + task.column;
        for (std::int32_t i = 0; task.kind == CudaSolveKind::columns && i < task.width; ++i) {
          std::int32_t& column = owner[static_cast<std::size_t>(task.partial + i)];
          EXPECT_EQ(column, -1);
          column = first + i;
        }
        if (task.kind != CudaSolveKind::last_columns) continue;
        const std::int32_t width = plan->symbolic.width(SupernodeId(task.supernode));
        const std::int32_t stride = std::min(cuda_solve_block, width - task.column / cuda_solve_block * cuda_solve_block);
        for (std::int32_t i = 0; i < task.chunks * task.width; ++i, ++read) {
          const std::int32_t place = task.partial + i / task.width * stride + i % task.width;
          EXPECT_EQ(owner[static_cast<std::size_t>(place)], first + i % task.width);
        }
      }
      EXPECT_EQ(read, solve.partials_single) << "each once";
    }
  }
}

/// What a block of a wide front leaves of a row is read once, by the next block's product with that row, which comes later.
TEST(CudaSingleSolve, BlocksReadWhatTheBlockBeforeLeft) {
  for (const io::SymmetricMatrix& a : {io::generate("elas:7"), dense_spd(1100, 1), joined_cliques_spd(2, 1100, 90, 3)}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    const CudaSolvePlan& solve = plan->cuda().solve;
    using Left = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // Supernode, row, end of the block.
    std::map<std::int32_t, Left> places;
    std::int64_t left = 0;
    for (const CudaSolveTask& task : solve.forward_single.tasks) {
      if (task.kind != CudaSolveKind::rows) continue;
      const std::int32_t width = plan->symbolic.width(SupernodeId(task.supernode));
      const std::int32_t rows_left = plan->symbolic.front(SupernodeId(task.supernode)) - cuda_solve_block;
      const std::int32_t end = task.column + task.width;
      for (std::int32_t row = task.row_begin; row < task.row_end; ++row) {
        const std::int32_t place = task.partial + row - cuda_solve_block;
        if (task.column > 0) {
          const auto before = places.find(place - rows_left);
          ASSERT_NE(before, places.end());
          EXPECT_EQ(before->second, Left(task.supernode, row, task.column));
          places.erase(before);
        }
        if (end == width || row < std::min(end + cuda_solve_block, width)) continue;
        EXPECT_TRUE(0 <= place && place < solve.sums_single);
        EXPECT_TRUE(places.try_emplace(place, task.supernode, row, end).second);
        ++left;
      }
    }
    EXPECT_TRUE(places.empty());
    EXPECT_EQ(left > 0, solve.sums_single > 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
