#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "io/symmetric_matrix.hpp"
#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/solve_plan.hpp"
#include "solver/cuda/plan/sweep.hpp"
#include "tests/solver/cuda/plan/bulk_tasks.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::int64_t round_up(std::int64_t rows) {
  return (rows + cuda::tile_alignment - 1) / cuda::tile_alignment * cuda::tile_alignment;
}

/// Number of entries of a task in shared memory: a whole panel with its padding, or rows rounded out to multiples of four.
std::int64_t staged_entries(const FactorPlan& plan, const CudaSolveTask& t) {
  if (t.kind == cuda::SolveKind::whole || t.kind == cuda::SolveKind::whole_by_warp) {
    return std::int64_t{plan.panels.ld[SupernodeId(t.supernode)]} * t.width;
  }
  const std::int64_t rows = t.row_end - t.row_begin;
  if (t.kind == cuda::SolveKind::diagonal) return round_up(t.width) * rows;
  return round_up(t.row_begin % cuda::tile_alignment + rows) * t.width;
}

/// Shapes for few tasks, for many tasks, and for many tasks in float.
constexpr OneRhsShape shapes[] = {{cuda::one_rhs_entries<double>, cuda::one_rhs_outputs},
                                  {cuda::one_rhs_entries<double>, cuda::one_rhs_max_outputs},
                                  {cuda::one_rhs_entries<float>, cuda::one_rhs_max_outputs}};

struct Sweeps {
  std::int64_t sums = 0;
  std::int64_t partials = 0;
  CudaSolveSweep forward, backward;

  Sweeps(const FactorPlan& plan, const OneRhsShape& shape)
      : forward(build_one_rhs_forward_sweep(plan.symbolic, shape, sums)),
        backward(build_one_rhs_backward_sweep(plan.symbolic, shape, partials)) {}
};

TEST(OneRhsSweeps, TasksFitIntoSharedMemory) {
  for (const io::SymmetricMatrix& a :
       {io::generate("lap3d:12"), io::generate("lap2d:30"), io::generate("elas:6"), joined_cliques_spd(2, 1100, 90, 3)}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    for (const OneRhsShape& shape : shapes) {
      const Sweeps sweeps(*plan, shape);
      for (const CudaSolveSweep* sweep : {&sweeps.forward, &sweeps.backward}) {
        auto tasks = sweep->warp_tasks;
        for (const CudaSolveTask& t : sweep->tasks) {
          if (!is_group(t.kind)) tasks.push_back(t);
        }
        for (const CudaSolveTask& t : tasks) {
          const bool by_warp = t.kind == cuda::SolveKind::whole_by_warp;
          EXPECT_LE(staged_entries(*plan, t), by_warp ? cuda::one_rhs_large_entries : shape.entries);
          const bool columns = t.kind == cuda::SolveKind::partial_columns || t.kind == cuda::SolveKind::last_columns;
          if (columns) {
            EXPECT_LE(t.width, shape.max_outputs);
            EXPECT_LE(t.row_end - t.row_begin, cuda::solve_block);
          }
          if (t.kind == cuda::SolveKind::rows) {
            EXPECT_LE(t.row_end - t.row_begin / cuda::tile_alignment * cuda::tile_alignment, 128);
          }
        }
      }
    }
  }
}

/// Warps per team of a group; 0 for a group of fronts that are solved by one warp each.
int team_of(cuda::SolveKind group) {
  if (group == cuda::SolveKind::teams_of_two) return 2;
  return group == cuda::SolveKind::teams_of_four ? 4 : 0;
}

/// If a level has many small fronts, teams of a CTA's warps solve one each: every front once, and within a team's share of
/// the memory.
void check_teams(const FactorPlan& plan, bool has_teams) {
  for (const OneRhsShape& shape : shapes) {
    const Sweeps sweeps(plan, shape);
    for (const CudaSolveSweep* sweep : {&sweeps.forward, &sweeps.backward}) {
      std::vector<int> taken(sweep->warp_tasks.size(), 0);
      std::map<int, int> groups;
      for (const CudaSolveTask& group : sweep->tasks) {
        if (!is_group(group.kind)) continue;
        const int team = team_of(group.kind);
        ++groups[team];
        const auto [first, count] = group_of(group);
        EXPECT_TRUE(team == 0 || count <= cuda::solve_warps / team);
        for (std::int32_t i = first; i < first + count; ++i) {
          const CudaSolveTask& task = sweep->warp_tasks[static_cast<std::size_t>(i)];
          ++taken[static_cast<std::size_t>(i)];
          EXPECT_EQ(task.kind, team > 0 ? cuda::SolveKind::whole : cuda::SolveKind::whole_by_warp);
          if (team > 0) {
            EXPECT_LE(staged_entries(plan, task), shape.entries * team / cuda::solve_warps);
            EXPECT_LE(task.width, cuda::tile_size);
          } else {
            const bool are_large = group.get<cuda::SolveKind::warps>().are_large != 0;
            EXPECT_LE(staged_entries(plan, task), are_large ? cuda::one_rhs_large_entries : cuda::one_rhs_warp_entries);
          }
        }
      }
      EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](int times) { return times == 1; }));
      EXPECT_EQ(groups[2] + groups[4] > 0, has_teams);
    }
  }
}

TEST(OneRhsSweeps, TeamsSolveSmallFronts) {
  check_teams(*plan_of(io::generate("shell:120")), true);
  // Diagonal and row tasks of these fronts would fit into a team's share, but teams solve whole fronts only.
  for (const int width : {65, 70, 76}) check_teams(*plan_of(joined_cliques_spd(300, width, 2, 3)), false);
}

/// The last chunk of each block adds the sums of the other chunks, which come before it and write where it reads.
void check_last_chunks(const FactorPlan& plan, const Sweeps& sweeps) {
  std::vector<std::int32_t> owner(static_cast<std::size_t>(sweeps.partials), -1);
  std::int64_t read = 0;
  for (const CudaSolveTask& task : sweeps.backward.tasks) {
    const std::int32_t first = plan.symbolic.first_column[SupernodeId(task.supernode)].value + task.column;
    if (task.kind == cuda::SolveKind::partial_columns) {
      const std::int32_t partial = task.get<cuda::SolveKind::partial_columns>().partial;
      for (std::int32_t i = 0; i < task.width; ++i) {
        std::int32_t& column = owner[static_cast<std::size_t>(partial + i)];
        EXPECT_EQ(column, -1);
        column = first + i;
      }
    }
    if (task.kind != cuda::SolveKind::last_columns) continue;
    const auto last = task.get<cuda::SolveKind::last_columns>();
    const std::int32_t width = plan.symbolic.width(SupernodeId(task.supernode));
    const std::int32_t stride = std::min(cuda::solve_block, width - task.column / cuda::solve_block * cuda::solve_block);
    for (std::int32_t i = 0; i < last.others * task.width; ++i, ++read) {
      const std::int32_t place = last.partial + i / task.width * stride + i % task.width;
      EXPECT_EQ(owner[static_cast<std::size_t>(place)], first + i % task.width);
    }
  }
  EXPECT_EQ(read, sweeps.partials) << "each once";
  EXPECT_LE(sweeps.partials, plan.cuda().solve.one_rhs_partials);
}

TEST(OneRhsSweeps, LastChunkAddsUpTheOthers) {
  for (const char* name : {"lap3d:16", "elas:7"}) {
    for (const bool dense : {false, true}) {
      const auto plan = plan_of(dense ? joined_cliques_spd(2, 1100, 90, 3) : io::generate(name));
      for (const OneRhsShape& shape : shapes) check_last_chunks(*plan, Sweeps(*plan, shape));
    }
  }
}

/// What a block of a wide front leaves of a row is read exactly once, by the next block's product with that row, which comes
/// later.
void check_left_rows(const FactorPlan& plan, const Sweeps& sweeps) {
  using Left = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // Supernode, row, end of the block.
  std::map<std::int32_t, Left> places;
  std::int64_t left = 0;
  for (const CudaSolveTask& task : sweeps.forward.tasks) {
    if (task.kind != cuda::SolveKind::rows) continue;
    const std::int32_t width = plan.symbolic.width(SupernodeId(task.supernode));
    const std::int32_t rows_left = plan.symbolic.front(SupernodeId(task.supernode)) - cuda::solve_block;
    const std::int32_t end = task.column + task.width;
    for (std::int32_t row = task.row_begin; row < task.row_end; ++row) {
      const std::int32_t place = task.get<cuda::SolveKind::rows>().left + row - cuda::solve_block;
      if (task.column > 0) {
        const auto before = places.find(place - rows_left);
        ASSERT_NE(before, places.end());
        EXPECT_EQ(before->second, Left(task.supernode, row, task.column));
        places.erase(before);
      }
      if (end == width || row < std::min(end + cuda::solve_block, width)) continue;
      EXPECT_TRUE(0 <= place && place < sweeps.sums);
      EXPECT_TRUE(places.try_emplace(place, task.supernode, row, end).second);
      ++left;
    }
  }
  EXPECT_TRUE(places.empty());
  EXPECT_EQ(left > 0, sweeps.sums > 0);
  EXPECT_LE(sweeps.sums, plan.cuda().solve.one_rhs_sums);
}

TEST(OneRhsSweeps, BlocksReadTheSumsOfThePreviousBlock) {
  for (const io::SymmetricMatrix& a : {io::generate("elas:7"), dense_spd(1100, 1), joined_cliques_spd(2, 1100, 90, 3)}) {
    SCOPED_TRACE(a.name);
    const auto plan = plan_of(a);
    for (const OneRhsShape& shape : shapes) check_left_rows(*plan, Sweeps(*plan, shape));
  }
}

/// The memory estimate counts the lists of the scalar type: float has fewer, larger tasks.
TEST(OneRhsSweeps, MemoryCountsTheListsOfTheScalar) {
  const auto small = plan_of(io::generate("elas:9"));
  EXPECT_EQ(small->memory(Backend::cuda, ScalarType::real_single, false).index,
            small->memory(Backend::cuda, ScalarType::real_double, false).index);
  const auto bulk = with_bulk_tasks(*small);
  const CudaSolvePlan& solve = bulk->cuda().solve;
  EXPECT_LT(solve.forward_float.tasks.size() + solve.backward_float.tasks.size(),
            solve.forward_one_rhs.tasks.size() + solve.backward_one_rhs.tasks.size());
  EXPECT_LT(bulk->memory(Backend::cuda, ScalarType::real_single, false).index,
            bulk->memory(Backend::cuda, ScalarType::real_double, false).index);
}

}  // namespace
}  // namespace gpusupernodal::test
