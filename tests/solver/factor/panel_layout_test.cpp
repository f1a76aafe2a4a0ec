#include "solver/factor/panel_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/random_patterns.hpp"

namespace gpusupernodal::test {
namespace {

/// The layout guarantees: fronts of at least this many rows begin at, and have a leading dimension of, multiples of four.
constexpr std::int32_t aligned_from = 32;
constexpr std::int32_t alignment = 4;

/// Checks one panel, whose values begin at `past` or a little later, and sets `past` to their end.
void expect_panel(const SymbolicFactor& factor, const PanelLayout& layout, SupernodeId s, std::int64_t& past) {
  const std::int32_t front = factor.front(s);
  const std::int32_t width = factor.width(s);
  const std::int32_t surplus = layout.ld[s] - front;
  ASSERT_GE(layout.value_offset[s], past) << "panels do not overlap";
  ASSERT_LT(layout.value_offset[s] - past, alignment) << "panels are as close as alignment allows";
  ASSERT_GE(surplus, 0);
  ASSERT_LT(surplus, front >= aligned_from ? alignment : 1);
  past = layout.value_offset[s];
  for (std::int32_t first = 0; first < width; first += panel_block) {
    const PanelBlock block = layout.block(s, first);
    const std::int32_t columns = std::min(panel_block, width - first);
    ASSERT_GE(block.origin, 0);
    ASSERT_EQ(block.ld, front - first + surplus) << "the rows above the block column are not stored";
    ASSERT_EQ(layout.index(s, first, first), past) << "block columns follow each other";
    if (front >= aligned_from) {
      ASSERT_EQ(block.origin % alignment, 0);
      ASSERT_EQ(block.ld % alignment, 0);
    }
    past += columns * block.ld;
  }
}

/// No two entries of L have the same address.
void expect_distinct_addresses(const SymbolicFactor& factor, const PanelLayout& layout) {
  std::vector<bool> used(static_cast<std::size_t>(layout.values()), false);
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int32_t j = 0; j < factor.width(s); ++j) {
      for (std::int32_t i = j; i < factor.front(s); ++i) {
        const std::int64_t index = layout.index(s, i, j);
        ASSERT_GE(index, layout.value_offset[s]);
        ASSERT_LT(index, layout.value_offset[s + 1]);
        ASSERT_FALSE(used[static_cast<std::size_t>(index)]) << "entry " << i << ", " << j << " of supernode " << s.value;
        used[static_cast<std::size_t>(index)] = true;
      }
    }
  }
}

void expect_layout(const SymbolicFactor& factor) {
  const PanelLayout layout = build_panel_layout(factor);
  ASSERT_EQ(layout.value_offset.size(), static_cast<std::size_t>(factor.supernodes()) + 1);
  ASSERT_EQ(layout.ld.size(), static_cast<std::size_t>(factor.supernodes()));
  ASSERT_EQ(layout.value_offset[SupernodeId(0)], 0);
  std::int64_t past = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    expect_panel(factor, layout, s, past);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(layout.values(), past);
  expect_distinct_addresses(factor, layout);
}

TEST(PanelLayout, PanelsAreAlignedAndDoNotOverlap) {
  for (const auto& a : small_matrices()) {
    for (Merging merging : all_mergings()) {
      SCOPED_TRACE(a.name);
      expect_layout(analyze(graph_of(a), Ordering::automatic, merging));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Widths around multiples of the block width, without rows below, with a few and with more than a block column has.
TEST(PanelLayout, WidePanelsAreBlockColumns) {
  for (const std::int64_t width : {511, 512, 513, 700, 1024, 1025, 1100, 1537}) {
    for (const std::int64_t rows : {0, 1, 30, 600}) {
      SCOPED_TRACE(std::to_string(width) + " columns, " + std::to_string(rows) + " rows below");
      const SymbolicFactor factor = analyze(graph_of(single_front(width, rows)), Ordering::natural, Merging::none);
      expect_layout(factor);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The panel of a dense matrix has the lower trapezoids of its block columns and the upper parts of their squares.
TEST(PanelLayout, OmitsEntriesAboveDiagonalSquares) {
  for (const std::int64_t blocks : {1, 2, 3, 5}) {
    const std::int64_t n = blocks * panel_block;
    const SymbolicFactor factor = analyze(graph_of(dense_spd(n, 1)), Ordering::natural, Merging::none);
    ASSERT_EQ(factor.supernodes(), 1);
    const std::int64_t dropped = blocks * (blocks - 1) / 2 * panel_block * panel_block;
    EXPECT_EQ(build_panel_layout(factor).values(), n * n - dropped);
  }
}

/// Partners follow the panels at a distance that keeps 16-byte loads aligned.
TEST(PanelLayout, WithPartnersTheNumberOfValuesIsAligned) {
  for (const auto& a : small_matrices()) {
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::automatic, Merging::bounded);
    const std::int64_t alone = build_panel_layout(factor).values();
    const std::int64_t aligned = build_panel_layout(factor, true).values();
    EXPECT_EQ(aligned, (alone + 3) / 4 * 4) << a.name;
  }
}

TEST(PanelLayout, VisitsTheColumnsOfEachBlock) {
  using Part = std::pair<std::int32_t, std::int32_t>;
  const auto parts = [](std::int32_t first, std::int32_t last) {
    std::vector<Part> list;
    for_each_panel_block(first, last, [&](std::int32_t begin, std::int32_t end) { list.emplace_back(begin, end); });
    return list;
  };
  EXPECT_EQ(parts(7, 7), std::vector<Part>());
  EXPECT_EQ(parts(0, panel_block), (std::vector<Part>{{0, panel_block}}));
  EXPECT_EQ(parts(500, 513), (std::vector<Part>{{500, 512}, {512, 513}}));
  EXPECT_EQ(parts(512, 1500), (std::vector<Part>{{512, 1024}, {1024, 1500}}));
}

/// Kernels step from one block column to the next by the gap, and by the fall of the leading dimension.
TEST(PanelLayout, GapLeadsToTheNextBlockColumn) {
  constexpr std::int64_t offset = 1000;
  constexpr std::int32_t ld = 2304;
  for (const std::int32_t border : {512, 1024, 1536}) {
    const PanelBlock before = block_of_column(offset, ld, border - 1);
    const PanelBlock next = block_of_column(offset, ld, border);
    EXPECT_EQ(before.ld - next.ld, panel_block);
    for (const std::int32_t ahead : {0, 1, 7, 15}) {
      for (const std::int32_t row : {border, border + 100, ld - 1})
        EXPECT_EQ(before.index(row, border + ahead) - gap_at_border(ahead), next.index(row, border + ahead));
    }
  }
}

TEST(PanelLayout, EmptyMatrixTakesNoMemory) {
  EXPECT_EQ(PanelLayout().values(), 0);
  EXPECT_EQ(build_panel_layout(analyze(graph_of(diagonal_spd(0)), Ordering::natural, Merging::none)).values(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
