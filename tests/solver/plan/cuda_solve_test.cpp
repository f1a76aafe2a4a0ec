#include "solver/plan/cuda_solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "io/symmetric_matrix.hpp"
#include "solver/plan/cuda_tiling.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::vector<io::SymmetricMatrix> matrices() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  all.push_back(io::generate("lap3d:12"));
  all.push_back(io::generate("elas:6"));
  all.push_back(dense_spd(700, 1));
  all.push_back(star_spd(3000, 2999));
  all.push_back(arrowhead_spd(1500));
  return all;
}

/// The global row that a row of fronts (FrontGather) stands for.
NewIndex row_of(const SymbolicFactor& factor, std::size_t front_row) {
  const auto n = static_cast<std::size_t>(factor.order());
  return front_row < n ? NewIndex(static_cast<std::int64_t>(front_row)) : factor.rows[front_row - n];
}

TEST(FrontGather, BringsEveryContributionToItsRowInTheParent) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    const SymbolicFactor& factor = plan->symbolic;
    const FrontGather& gather = plan->cuda_solve.gather;
    std::vector<int> seen(factor.rows.size(), 0);
    for (std::size_t row = 0; row + 1 < gather.offset.size(); ++row) {
      for (std::int64_t e = gather.offset[row]; e < gather.offset[row + 1]; ++e) {
        const std::int32_t position = gather.source[static_cast<std::size_t>(e)];
        ++seen[static_cast<std::size_t>(position)];
        EXPECT_EQ(factor.rows[static_cast<std::size_t>(position)], row_of(factor, row));
        if (e == gather.offset[row]) continue;
        EXPECT_LT(gather.source[static_cast<std::size_t>(e) - 1], position) << "children ascend";
      }
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

struct Placed {
  CudaSolveTask task;
  std::int32_t level;
};

/// Tasks of each supernode with their levels.
std::map<std::int32_t, std::vector<Placed>> by_supernode(const CudaSolveSweep& sweep) {
  std::map<std::int32_t, std::vector<Placed>> result;
  std::int64_t next = 0;
  for (std::size_t l = 0; l < sweep.levels.size(); ++l) {
    const CudaSolveLevel& level = sweep.levels[l];
    EXPECT_EQ(level.begin, next);
    EXPECT_GT(level.warps + level.ctas, 0);
    for (std::int64_t i = 0; i < level.warps + level.ctas; ++i) {
      const CudaSolveTask& task = sweep.tasks[static_cast<std::size_t>(level.begin + i)];
      EXPECT_EQ(task.kind == CudaSolveKind::whole_by_warp, i < level.warps);
      result[task.supernode].push_back({task, static_cast<std::int32_t>(l)});
    }
    next += level.warps + level.ctas;
  }
  EXPECT_EQ(next, static_cast<std::int64_t>(sweep.tasks.size()));
  return result;
}

bool is_whole(const CudaSolveTask& task) {
  return task.kind == CudaSolveKind::whole || task.kind == CudaSolveKind::whole_by_warp;
}

std::pair<std::int32_t, std::int32_t> levels_of(const std::vector<Placed>& tasks) {
  const auto [first, last] =
      std::minmax_element(tasks.begin(), tasks.end(), [](const Placed& a, const Placed& b) { return a.level < b.level; });
  return {first->level, last->level};
}

/// Level of each (row, block column) of a front: the diagonal block's rows and the rows below it.
void check_blocks(const SymbolicFactor& factor, SupernodeId s, const std::vector<Placed>& tasks, bool forward) {
  const std::int32_t width = factor.width(s);
  const std::int32_t front = factor.front(s);
  for (std::int32_t column = 0; column < width; column += cuda_solve_block) {
    const std::int32_t end = std::min(width, column + cuda_solve_block);
    std::vector<int> solved(static_cast<std::size_t>(end - column), 0);
    std::vector<std::int64_t> below(static_cast<std::size_t>(front), 0);
    std::int32_t diagonal = -1;
    std::int32_t products = -1;
    for (const Placed& placed : tasks) {
      const CudaSolveTask& t = placed.task;
      if (t.column < column || t.column >= end) continue;
      if (t.kind == CudaSolveKind::diagonal) {
        EXPECT_EQ(t.column, column);
        EXPECT_EQ(t.width, end - column);
        EXPECT_LE(t.row_end - t.row_begin, cuda_solve_outputs);
        for (std::int32_t r = t.row_begin; r < t.row_end; ++r) ++solved[static_cast<std::size_t>(r - column)];
        EXPECT_TRUE(diagonal < 0 || diagonal == placed.level);
        diagonal = placed.level;
      } else {
        for (std::int32_t r = t.row_begin; r < t.row_end; ++r) below[static_cast<std::size_t>(r)] += t.width;
        EXPECT_TRUE(products < 0 || products == placed.level);
        products = placed.level;
      }
    }
    EXPECT_TRUE(std::all_of(solved.begin(), solved.end(), [](int times) { return times == 1; }));
    for (std::int32_t r = 0; r < front; ++r) EXPECT_EQ(below[static_cast<std::size_t>(r)], r < end ? 0 : end - column);
    if (end < front) {
      EXPECT_EQ(diagonal + (forward ? 1 : -1), products);
    }
  }
}

void check_sweep(const SymbolicFactor& factor, const CudaSolveSweep& sweep, bool forward) {
  auto tasks = by_supernode(sweep);
  for (SupernodeId s : factor.supernode_ids()) {
    const std::vector<Placed>& own = tasks[s.value];
    ASSERT_FALSE(own.empty());
    if (is_whole(own.front().task)) {
      EXPECT_EQ(own.size(), 1U);
      EXPECT_LE(factor.width(s), cuda_tile);
    } else {
      check_blocks(factor, s, own, forward);
    }
    if (!factor.parent[s].valid()) continue;
    const auto [first, last] = levels_of(own);
    const auto [parent_first, parent_last] = levels_of(tasks[factor.parent[s].value]);
    if (forward) {
      EXPECT_LT(last, parent_first);
    } else {
      EXPECT_LT(parent_last, first);
    }
  }
}

TEST(CudaSolve, CoversEveryFrontOnceAndWaitsForItsNeighbours) {
  for (const io::SymmetricMatrix& a : matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    check_sweep(plan->symbolic, plan->cuda_solve.forward, true);
    check_sweep(plan->symbolic, plan->cuda_solve.backward, false);
  }
}

TEST(CudaSolve, PartialSumsOfNeighbouringLevelsAreApart) {
  const auto plan = plan_of(io::generate("lap3d:16"));
  const CudaSolveSweep& sweep = plan->cuda_solve.backward;
  std::set<std::pair<std::int64_t, std::int64_t>> before;
  for (const CudaSolveLevel& level : sweep.levels) {
    std::set<std::pair<std::int64_t, std::int64_t>> written;
    for (std::int64_t i = level.begin; i < level.begin + level.warps + level.ctas; ++i) {
      const CudaSolveTask& task = sweep.tasks[static_cast<std::size_t>(i)];
      if (task.kind == CudaSolveKind::diagonal && task.chunks > 0) {
        for (std::int32_t c = 0; c < task.chunks; ++c) {
          EXPECT_TRUE(before.count({task.partial + c * task.width, std::min(task.width, cuda_solve_outputs)}))
              << "what a diagonal reads was written one level before";
        }
      }
      if (task.kind != CudaSolveKind::columns) continue;
      EXPECT_LE(task.partial + task.width, plan->cuda_solve.partials);
      EXPECT_TRUE(written.emplace(task.partial, task.width).second);
    }
    std::int64_t end = 0;
    for (const auto& [begin, width] : written) {
      EXPECT_GE(begin, end) << "pieces do not overlap";
      end = begin + width;
    }
    for (const auto& piece : written) EXPECT_FALSE(before.count(piece)) << "not where the level before wrote";
    before = std::move(written);
  }
}

TEST(CudaSolve, WidensEveryBlockFromItsPieces) {
  for (const std::int32_t width : {1, 64, 65, 100, 128, 129, 200, 500, 512, 513, 700, 1100}) {
    SCOPED_TRACE(width);
    const auto plan = plan_of(dense_spd(width, 1));
    const CudaSolvePlan& solve = plan->cuda_solve;
    // The inverse of columns begin … end−1 is whole after a step iff both halves were.
    std::set<std::pair<std::int32_t, std::int32_t>> inverses;
    for (std::int32_t c = 0; c < width; c += cuda_tile) inverses.emplace(c, std::min(width, c + cuda_tile));
    for (const CudaWidening& w : solve.widenings) {
      EXPECT_EQ(inverses.erase({w.column, w.column + w.half}), 1U);
      EXPECT_EQ(inverses.erase({w.column + w.half, w.column + w.half + w.width}), 1U);
      inverses.emplace(w.column, w.column + w.half + w.width);
    }
    std::set<std::pair<std::int32_t, std::int32_t>> blocks;
    for (std::int32_t c = 0; c < width; c += cuda_solve_block) blocks.emplace(c, std::min(width, c + cuda_solve_block));
    EXPECT_EQ(inverses, blocks);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
