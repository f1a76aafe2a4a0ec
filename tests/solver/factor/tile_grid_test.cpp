#include "solver/factor/tile_grid.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "solver/factor/leaf_subtrees.hpp"
#include "solver/factor/panel_layout.hpp"
#include "tests/solver/factor/schedule_cases.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Borders are rounded to multiples of this, so a piece may exceed the requested width by less than this.
constexpr std::int32_t border_unit = 8;

void expect_grid(const SymbolicFactor& factor, const TileGrid& grid, const Schedule& schedule) {
  std::vector<bool> used(static_cast<std::size_t>(grid.tiles()), false);
  for (SupernodeId s : factor.supernode_ids()) {
    if (schedule.in_subtree(s)) {
      ASSERT_EQ(schedule.blocks_of(s).size(), 0);
      continue;
    }
    const auto borders = grid.row_borders(s);
    ASSERT_EQ(borders.front(), 0);
    ASSERT_EQ(borders.back(), factor.front(s));
    for (std::int32_t r = 0; r < grid.row_blocks(s); ++r) {
      ASSERT_LT(borders[static_cast<std::size_t>(r)], borders[static_cast<std::size_t>(r) + 1]) << "no empty piece";
    }
    std::int32_t place = 0;
    for (BlockColumnId c : schedule.blocks_of(s)) {
      const BlockColumn& block = schedule.block_columns[c];
      ASSERT_EQ(block.supernode, s);
      ASSERT_EQ(block.first, borders[static_cast<std::size_t>(place)]) << "row blocks follow the block columns";
      ASSERT_EQ(block.first + block.width, borders[static_cast<std::size_t>(place) + 1]);
      if (schedule.options.cuts_at_borders) {
        ASSERT_EQ(first_of_block(block.first), first_of_block(block.first + block.width - 1))
            << "block columns end where those of the storage do";
      }
      ASSERT_LT(block.width, std::max(schedule.options.block_width, border_unit) + border_unit);
      for (std::int32_t r = place; r < grid.row_blocks(s); ++r) {
        const auto tile = static_cast<std::size_t>(grid.tile(c, r));
        ASSERT_LT(tile, used.size());
        ASSERT_FALSE(used[tile]) << "two tiles have the same number";
        used[tile] = true;
      }
      ++place;
    }
    ASSERT_EQ(borders[static_cast<std::size_t>(place)], factor.width(s)) << "block columns fill the supernode";
  }
}

TEST(TileGrid, CutsWithoutEmptyPieces) {
  for (const auto& a : small_matrices()) {
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, Merging::bounded);
    for (const ScheduleOptions& options : schedule_cases()) {
      SCOPED_TRACE(a.name + ": " + describe(options));
      Schedule schedule;
      schedule.options = options;
      cut_leaf_subtrees(factor, options, schedule);
      const TileGrid grid(factor, options, schedule);
      expect_grid(factor, grid, schedule);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// One supernode of each width, with several block widths; the negative one is not cut at the borders of the storage.
TEST(TileGrid, CutsEveryWidth) {
  std::vector<std::int32_t> widths{511, 512, 513, 520, 700, 1024, 1025, 1100};
  for (std::int32_t n = 1; n <= 300; ++n) widths.push_back(n);
  for (const std::int32_t n : widths) {
    const SymbolicFactor factor = analyze(graph_of(dense_spd(n, 1)), Ordering::natural, Merging::none);
    for (const std::int32_t block_width : {1, 8, 9, 31, 64, 100, 256, 1024, -1024}) {
      Schedule schedule;
      schedule.options.cuts_at_borders = block_width > 0;
      schedule.options.block_width = std::abs(block_width);
      schedule.options.max_subtree_flops = 0.0;
      cut_leaf_subtrees(factor, schedule.options, schedule);
      const TileGrid grid(factor, schedule.options, schedule);
      expect_grid(factor, grid, schedule);
      if (block_width == -1024 && n <= 1024) {
        ASSERT_EQ(schedule.block_columns.size(), 1U) << "a block column of 1024 columns";
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
