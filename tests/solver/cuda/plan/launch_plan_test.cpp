/// Parts of the CUDA executor that are planned without a device, so these tests run everywhere.

#include "solver/cuda/plan/launch_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::LaunchPlan;
using cuda::ProductTask;

std::int64_t count(const auto& container) { return static_cast<std::int64_t>(container.size()); }

/// Levels in which a task's work is done, from its first to its last piece.
struct Interval {
  std::int32_t begin;
  std::int32_t end;
};

Interval levels_of(const FactorPlan& plan, const LaunchPlan& launches, const Task& task) {
  const Schedule& schedule = plan.cuda().schedule;
  if (task.kind == TaskKind::factor_subtree) {
    const LeafSubtree& subtree = schedule.subtrees[task.subtree];
    Interval all{launches.first_level[subtree.first], 0};
    for (SupernodeId s : IdRange<SupernodeId>(subtree.first, subtree.last + 1)) {
      all.begin = std::min(all.begin, launches.first_level[s]);
      all.end = std::max(all.end, launches.last_level(plan.symbolic, s));
    }
    return all;
  }
  if (task.kind == TaskKind::assemble) return {-1, -1};
  if (task.kind == TaskKind::update_between) {
    Interval all{launches.last_level(plan.symbolic, plan.updates.updates[task.update_begin].source), 0};
    for (UpdateId u : IdRange<UpdateId>(task.update_begin, task.update_end)) {
      const std::int32_t level = launches.last_level(plan.symbolic, plan.updates.updates[u].source);
      all.begin = std::min(all.begin, level);
      all.end = std::max(all.end, level);
    }
    return all;
  }
  if (task.kind == TaskKind::complete) {
    const std::int32_t level = launches.last_level(plan.symbolic, task.source);
    return {level, level};
  }
  const BlockColumn& block = schedule.block_columns[task.target];
  const std::int32_t first = launches.first_level[block.supernode];
  return {first + block.first / cuda::tile_size, first + (block.first + block.width - 1) / cuda::tile_size};
}

bool adds(TaskKind kind) {
  return kind == TaskKind::update_between || kind == TaskKind::update_internal || kind == TaskKind::assemble;
}

TEST(LaunchPlan, RespectsTheOrderOfTheTaskGraph) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const LaunchPlan launches = launches_of(*plan, 4);
    const Schedule schedule = block_schedule(*plan);
    const TaskGraph& graph = schedule.graph;
    for (TaskId t : graph.tasks.ids()) {
      for (const TaskId next : graph.successors_of(t)) {
        const Task& before = graph.tasks[t];
        const Task& after = graph.tasks[next];
        if (adds(before.kind) && adds(after.kind)) continue;  // Reductions into one tile need no order.
        const Interval first = levels_of(*plan, launches, before);
        const Interval second = levels_of(*plan, launches, after);
        EXPECT_LE(first.begin, second.end) << a.name;
        if (before.kind == TaskKind::update_between) {
          EXPECT_LT(first.end, second.begin) << a.name;
        }
      }
    }
  }
}

TEST(LaunchPlan, ParentsComeAfterTheirChildren) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const LaunchPlan launches = launches_of(*plan, 4);
    for (SupernodeId s : plan->symbolic.supernode_ids()) {
      const SupernodeId parent = plan->symbolic.parent[s];
      if (!parent.valid()) continue;
      EXPECT_GT(launches.first_level[parent], launches.last_level(plan->symbolic, s));
    }
  }
}

/// Diagonal blocks in a separate launch apply no products, because rows below them are read before that launch ends.
TEST(LaunchPlan, SeparateDiagonalBlocksApplyNoUpdates) {
  for (const io::SymmetricMatrix& a : matrices()) {
    const LaunchPlan launches = launches_of(*cuda_plan_of(a), 4);
    for (const auto& level : launches.levels) {
      for (std::int64_t i = level.diagonal.begin; i < level.diagonal.begin + level.diagonal.count; ++i) {
        EXPECT_EQ(launches.diagonal[static_cast<std::size_t>(i)].before, 0) << a.name;
      }
    }
  }
}

/// Level whose launches contain a tile, and the first level that may read what the tile writes.
struct TileLaunch {
  std::int32_t level = -1;
  std::int32_t done_before = -1;
};

class TileLaunches {
 public:
  TileLaunches(const LaunchPlan& launches, std::int32_t streams) : tiles_(launches.product.size()) {
    for (std::size_t l = 0; l < launches.levels.size(); ++l) {
      const auto level = static_cast<std::int32_t>(l);
      mark(launches.levels[l].urgent, {level, level + 1});
      for (std::int32_t g = launches.levels[l].first_group; g < launches.groups_end(l); ++g) {
        const auto& group = launches.groups[static_cast<std::size_t>(g)];
        EXPECT_GE(group.stream, 1);
        EXPECT_LT(group.stream, streams);
        EXPECT_LT(group.deadline, count(launches.levels));
        mark(group.tiles, {level, group.deadline});
      }
    }
  }
  const TileLaunch& operator[](std::size_t tile) const { return tiles_[tile]; }

 private:
  void mark(const cuda::TaskRange& range, const TileLaunch& launch) {
    for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
      EXPECT_EQ(tiles_[static_cast<std::size_t>(i)].level, -1) << "a tile in two launches";
      tiles_[static_cast<std::size_t>(i)] = launch;
    }
  }
  std::vector<TileLaunch> tiles_;
};

/// Level whose launches factorize the diagonal block of panel s that contains `column`. All blocks but the first are
/// factorized one level ahead, beside the products.
std::int32_t block_level(const LaunchPlan& launches, SupernodeId s, std::int32_t column) {
  const std::int32_t piece = column / cuda::tile_size;
  return piece == 0 ? launches.first_block_level[s] : launches.first_level[s] + piece - 1;
}

/// A tile is launched after all of its columns are scaled, and is done before the first level that reads what it writes.
void expect_in_time(const FactorPlan& plan, const LaunchPlan& launches, const ProductTask& task, const TileLaunch& launch) {
  const SymbolicFactor& factor = plan.symbolic;
  const SupernodeId s(task.panel);
  EXPECT_GE(launch.level, launches.first_level[s] + (task.column + task.depth - 1) / cuda::tile_size);
  const auto place = [&](std::int32_t position) {
    const std::int32_t width = factor.width(s);
    if (position < width) return std::pair{s, position};
    const NewIndex row = factor.rows_of(s)[static_cast<std::size_t>(position - width)];
    const SupernodeId target = factor.supernode_of[row];
    return std::pair{target, row - factor.first_column[target]};
  };
  const std::int32_t front = factor.front(s);
  for (std::int32_t j = std::max(task.col, task.first); j < std::min(task.col_end, task.col + cuda::tile_size); ++j) {
    const auto [target, column] = place(j);
    EXPECT_LE(launch.done_before, launches.first_level[target] + column / cuda::tile_size);
    for (std::int32_t i = std::max(task.row, j); i < std::min(front, task.row + cuda::tile_size); ++i) {
      const auto [of_row, row] = place(i);
      if (of_row == target && row / cuda::tile_size == column / cuda::tile_size) {
        EXPECT_LE(launch.done_before, block_level(launches, target, column));
      }
    }
  }
}

/// Number of multiplications in a tile, for entries of the lower trapezoid.
std::int64_t products_of(const ProductTask& task, std::int32_t front) {
  std::int64_t entries = 0;
  for (std::int32_t j = std::max(task.col, task.first); j < std::min(task.col_end, task.col + cuda::tile_size); ++j) {
    entries += std::max(0, std::min(front, task.row + cuda::tile_size) - std::max(j, task.row));
  }
  return entries * task.depth;
}

/// Number of multiplications of a diagonal block with the columns before it, counted in the tile that begins with the block.
std::int64_t products_by_block(const FactorPlan& plan, const cuda::DiagonalTask& task) {
  EXPECT_EQ(task.before, task.column == 0 ? 0 : cuda::tile_size);
  const ProductTask tile{task.panel,  task.column - task.before, task.before, task.column, task.column,
                         task.column, task.column + task.width};
  return products_of(tile, plan.symbolic.front(SupernodeId(task.panel)));
}

/// Every entry of every update of fronts that are cut into pieces is subtracted exactly once, and in time.
TEST(LaunchPlan, TilesApplyEachUpdateOnceAndInTime) {
  for (const char* name : {"lap3d:20", "lap2d:60"}) {
    const auto plan = cuda_plan_of(io::generate(name));
    for (const std::int32_t streams : {1, 2, 4, 9}) {
      const LaunchPlan launches = launches_of(*plan, streams);
      const TileLaunches tiles(launches, streams);
      std::set<std::tuple<int, int, int, int, int>> seen;
      std::int64_t covered = 0;
      for (std::size_t i = 0; i < launches.product.size(); ++i) {
        const ProductTask& task = launches.product[i];
        EXPECT_TRUE(seen.emplace(task.panel, task.column, task.depth, task.row, task.col).second);
        expect_in_time(*plan, launches, task, tiles[i]);
        covered += products_of(task, plan->symbolic.front(SupernodeId(task.panel)));
      }
      std::int64_t entries = 0;
      for (SupernodeId s : plan->symbolic.supernode_ids()) {
        const std::int64_t front = plan->symbolic.front(s);
        if (plan->cuda().fronts.kind[s] != CudaFrontKind::pieces) continue;
        for (std::int32_t p = 0; p < cuda::piece_count(plan->symbolic.width(s)); ++p) {
          const cuda::Product product = cuda::product_after(plan->symbolic.width(s), plan->symbolic.front(s), p);
          for (std::int64_t j = product.column + product.depth; j < product.col_end; ++j)
            entries += (front - j) * product.depth;
        }
      }
      for (const cuda::DiagonalTask& task : launches.diagonal) covered += products_by_block(*plan, task);
      EXPECT_EQ(covered, entries) << name;
    }
  }
}

TEST(LaunchPlan, TilesOfEveryKindCoverAProductOnce) {
  for (const auto& [product, front] : {std::pair{cuda::Product{0, 4096, 8192}, 9001},
                                       {cuda::Product{3, 512, 5000}, 5000},
                                       {cuda::Product{0, 1030, 1100}, 1200}}) {
    const cuda::ProductTiles cut = cuda::tiles_of(product, front);
    EXPECT_EQ(cut.pieces, product.col_end > 1100 ? 1 : 8);
    std::int64_t covered = 0;
    std::int64_t tiles = 0;
    const auto visit = [&, last = front, end = product](std::int32_t row, std::int32_t col, std::int32_t from,
                                                        std::int32_t depth) {
      ++tiles;
      covered += products_of({0, from, depth, row, col, end.column + end.depth, end.col_end}, last);
    };
    cuda::for_each_product_tile(product, front, false, visit);
    std::int64_t entries = 0;
    for (std::int64_t j = product.column + product.depth; j < product.col_end; ++j) entries += (front - j) * product.depth;
    EXPECT_EQ(covered, entries);
    EXPECT_EQ(tiles, cut.tiles * cut.pieces);
  }
}

/// When a piece is factorized, every earlier piece must have updated it exactly once.
TEST(LaunchPlan, EveryPieceIsUpdatedByEveryEarlierPiece) {
  for (const std::int32_t width : {1, 64, 65, 128, 200, 640, 1000, 1472}) {
    const std::int32_t pieces = cuda::piece_count(width);
    std::vector<std::vector<int>> updates(static_cast<std::size_t>(pieces),
                                          std::vector<int>(static_cast<std::size_t>(pieces), 0));
    for (std::int32_t p = 0; p < pieces; ++p) {
      for (std::int32_t q = 0; q < p; ++q) EXPECT_EQ(updates[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)], 1);
      const cuda::Product product = cuda::product_after(width, width + 10, p);
      if (p + 1 == pieces) {
        EXPECT_EQ(product.column, 0);
        EXPECT_EQ(product.depth, width);
        EXPECT_EQ(product.col_end, width + 10);
        continue;
      }
      EXPECT_EQ(product.column + product.depth, (p + 1) * cuda::tile_size);
      for (std::int32_t to = p + 1; to * cuda::tile_size < product.col_end; ++to) {
        for (std::int32_t from = product.column / cuda::tile_size; from <= p; ++from) {
          ++updates[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
        }
      }
    }
  }
}

template <class Task>
bool same_bytes(const LargeVector<Task>& a, const LargeVector<Task>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Task)) == 0;
}

/// Threads list separate parts of the tasks, including parts of one wide panel.
TEST(LaunchPlan, DoesNotDependOnTheThreads) {
  const auto plan = cuda_plan_of(io::generate("lap3d:30"));
  for (const cuda::AdditionOrder order : {cuda::AdditionOrder::any, cuda::AdditionOrder::fixed}) {
    const LaunchPlan one = launches_of(*plan, 4, cuda::LaunchScope::everything, order);
    ASSERT_GT(one.product.size(), 3000U) << "too few for several lists";
    ThreadTeam team(4);
    team.execute([&] {
      const LaunchPlan several =
          build_launch_plan(plan->cuda(), plan->symbolic, 4, cuda::LaunchScope::everything, order, team);
      EXPECT_TRUE(same_bytes(several.tiny, one.tiny) && same_bytes(several.small, one.small));
      EXPECT_TRUE(same_bytes(several.diagonal, one.diagonal) && same_bytes(several.scale, one.scale));
      EXPECT_TRUE(same_bytes(several.product, one.product));
      EXPECT_EQ(several.tasks_before_row, one.tasks_before_row);
      ASSERT_EQ(several.levels.size(), one.levels.size());
      ASSERT_EQ(several.groups.size(), one.groups.size());
      for (std::size_t l = 0; l < one.levels.size(); ++l) {
        EXPECT_EQ(several.levels[l].flops, one.levels[l].flops);
        EXPECT_EQ(several.levels[l].urgent.begin, one.levels[l].urgent.begin);
        EXPECT_EQ(several.levels[l].urgent.count, one.levels[l].urgent.count);
      }
    });
  }
}

TEST(LaunchPlan, TablesLocateRowsAndDiagonals) {
  const auto plan = cuda_plan_of(random_spd(300, 900, 2));
  const cuda::LaunchTables tables(plan->structure());
  const auto entries = static_cast<std::int64_t>(plan->symbolic.rows.size());
  std::vector<std::int32_t> update_of_row(plan->symbolic.rows.size(), -1);
  constexpr std::int64_t step = 7;
  for (std::int64_t i = 0; i < entries; i += step)
    tables.write_update_of_row(i, std::min(entries, i + step), update_of_row.data() + i);
  for (SupernodeId s : plan->symbolic.supernode_ids()) {
    for (const UpdateId u : plan->updates.from_source(s)) {
      const Update& update = plan->updates.updates[u];
      const cuda::UpdateInfo info = tables.update(u);
      for (std::int32_t i = update.row_begin; i < update.row_end; ++i) {
        const NewIndex row = plan->symbolic.rows_of(s)[static_cast<std::size_t>(i)];
        const auto index = static_cast<std::size_t>(info.relative + plan->symbolic.width(s) + i);
        EXPECT_EQ(plan->updates.relative_rows[index], row - plan->symbolic.first_column[update.target]);
        EXPECT_EQ(update_of_row[static_cast<std::size_t>(plan->symbolic.row_offset[s] + i)], u.value);
      }
    }
    for (std::int32_t c = 0; c < plan->symbolic.width(s); ++c) {
      EXPECT_EQ(tables.diagonal(plan->symbolic.first_column[s] + c), plan->panels.index(s, c, c));
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
