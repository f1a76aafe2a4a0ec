#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/symmetric_matrix.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/solve_plan.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

cuda::SolveDetails<cuda::SolveKind::columns> columns_of(const CudaSolveTask& task) {
  return task.get<cuda::SolveKind::columns>();
}

/// Partial sums of a chunk: the columns of the block that has the task's.
std::int32_t block_step(const SymbolicFactor& factor, const CudaSolveTask& task) {
  const std::int32_t begin = task.column / cuda::solve_block * cuda::solve_block;
  return std::min(cuda::solve_block, factor.width(SupernodeId(task.supernode)) - begin);
}

TEST(CudaSolve, PartialSumsDoNotOverlapAndAreReadWhereTheyWereWritten) {
  for (const char* name : {"lap3d:16", "elas:7"}) {
    const auto plan = plan_of(io::generate(name));
    std::vector<std::int32_t> owner(static_cast<std::size_t>(plan->cuda().solve.partials), -1);
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind != cuda::SolveKind::columns) continue;
      for (std::int32_t i = 0; i < task.width; ++i) {
        std::int32_t& column = owner[static_cast<std::size_t>(columns_of(task).partial + i)];
        EXPECT_EQ(column, -1);
        column = plan->symbolic.first_column[SupernodeId(task.supernode)].value + task.column + i;
      }
    }
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind != cuda::SolveKind::columns) continue;
      // What the kernel reads when this chunk is the last to finish: the sums of all chunks for the task's columns.
      const SupernodeId s(task.supernode);
      const std::int32_t step = block_step(plan->symbolic, task);
      const auto [finished, partial, chunk, chunks] = columns_of(task);
      for (std::int32_t i = 0; i < chunks * task.width; ++i) {
        const std::int32_t place = partial + (i / task.width - chunk) * step + i % task.width;
        const std::int32_t column = plan->symbolic.first_column[s].value + task.column + i % task.width;
        EXPECT_EQ(owner[static_cast<std::size_t>(place)], column);
      }
    }
    EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0);
  }
}

TEST(CudaSolve, ChunksOfColumnsHaveSeparateNumbersAndCounters) {
  for (const io::SymmetricMatrix& a : {dense_spd(1100, 1), io::generate("elas:16")}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    using Columns = std::pair<std::int32_t, std::int32_t>;
    std::map<Columns, std::set<std::int32_t>> chunks_of;  // By supernode and first column.
    std::map<Columns, std::int32_t> partial_of;
    std::map<std::int32_t, Columns> counted_in;
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind != cuda::SolveKind::columns) continue;
      const Columns columns(task.supernode, task.column);
      const std::int32_t begin = task.column / cuda::solve_block * cuda::solve_block;
      const auto [finished, partial, chunk, chunks] = columns_of(task);
      EXPECT_TRUE(chunks_of[columns].insert(chunk).second) << "chunk " << chunk;
      EXPECT_LT(chunk, chunks);
      const std::int32_t first = partial - chunk * block_step(plan->symbolic, task) - (task.column - begin);
      EXPECT_EQ(partial_of.try_emplace({task.supernode, begin}, first).first->second, first);
      EXPECT_EQ(finished >= 0, chunks > 1);
      if (finished >= 0) {
        EXPECT_EQ(counted_in.try_emplace(finished, columns).first->second, columns);
        EXPECT_NE(finished, task.arrive);
      }
    }
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind == cuda::SolveKind::columns) {
        EXPECT_EQ(columns_of(task).chunks, std::ssize(chunks_of[{task.supernode, task.column}]));
      }
      if (task.kind == cuda::SolveKind::diagonal) {
        const bool after_products = task.get<cuda::SolveKind::diagonal>().after_products != 0;
        EXPECT_EQ(after_products, partial_of.count({task.supernode, task.column}) > 0);
      }
    }
    EXPECT_GT(counted_in.size(), 0U);
  }
}

TEST(CudaSolve, MergesEveryBlockInverseFromItsPieces) {
  for (const std::int32_t width : {1, 64, 65, 100, 128, 129, 200, 500, 512, 513, 700, 1100}) {
    SCOPED_TRACE(width);
    const auto plan = plan_of(dense_spd(width, 1));
    const CudaSolvePlan& solve = plan->cuda().solve;
    // The inverse of columns begin … end−1 is complete after a merge iff both halves were complete.
    std::set<std::pair<std::int32_t, std::int32_t>> inverses;
    for (std::int32_t c = 0; c < width; c += cuda::tile_size) inverses.emplace(c, std::min(width, c + cuda::tile_size));
    for (const cuda::MergeInversesTask& w : solve.inverse_merges) {
      EXPECT_EQ(inverses.erase({w.column, w.column + w.half}), 1U);
      EXPECT_EQ(inverses.erase({w.column + w.half, w.column + w.half + w.width}), 1U);
      inverses.emplace(w.column, w.column + w.half + w.width);
    }
    std::set<std::pair<std::int32_t, std::int32_t>> blocks;
    for (std::int32_t c = 0; c < width; c += cuda::solve_block) blocks.emplace(c, std::min(width, c + cuda::solve_block));
    EXPECT_EQ(inverses, blocks);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
