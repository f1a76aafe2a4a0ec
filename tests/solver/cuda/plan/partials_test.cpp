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

TEST(CudaSolve, PartialSumsDoNotOverlapAndAreReadWhereTheyWereWritten) {
  for (const char* name : {"lap3d:16", "elas:7"}) {
    const auto plan = plan_of(io::generate(name));
    std::vector<std::int32_t> owner(static_cast<std::size_t>(plan->cuda().solve.partials), -1);
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind != cuda::SolveKind::columns) continue;
      for (std::int32_t i = 0; i < task.width; ++i) {
        std::int32_t& column = owner[static_cast<std::size_t>(task.partial + i)];
        EXPECT_EQ(column, -1);
        column = plan->symbolic.first_column[SupernodeId(task.supernode)].value + task.column + i;
      }
    }
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind != cuda::SolveKind::diagonal) continue;
      const std::int32_t first = plan->symbolic.first_column[SupernodeId(task.supernode)].value + task.column;
      for (std::int32_t i = 0; i < task.chunks * task.width; ++i) {
        EXPECT_EQ(owner[static_cast<std::size_t>(task.partial + i)], first + i % task.width);
      }
    }
    EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0);
  }
}

TEST(CudaSolve, ChunksOfColumnsAreNumberedAndCountedApart) {
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
      const std::int32_t step = std::min(cuda::solve_block, plan->symbolic.width(SupernodeId(task.supernode)) - begin);
      EXPECT_TRUE(chunks_of[columns].insert(task.chunk).second) << "chunk " << task.chunk;
      EXPECT_LT(task.chunk, task.chunks);
      const std::int32_t first = task.partial - task.chunk * step - (task.column - begin);
      EXPECT_EQ(partial_of.try_emplace({task.supernode, begin}, first).first->second, first);
      EXPECT_EQ(task.also >= 0, task.chunks > 1);
      if (task.also >= 0) {
        EXPECT_EQ(counted_in.try_emplace(task.also, columns).first->second, columns);
        EXPECT_NE(task.also, task.arrive);
      }
    }
    for (const CudaSolveTask& task : plan->cuda().solve.backward.tasks) {
      if (task.kind == cuda::SolveKind::columns) {
        EXPECT_EQ(task.chunks, std::ssize(chunks_of[{task.supernode, task.column}]));
      }
      if (task.kind == cuda::SolveKind::diagonal && task.chunks > 0) {
        EXPECT_EQ(task.partial, (partial_of[{task.supernode, task.column}]));
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
