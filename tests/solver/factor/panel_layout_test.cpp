#include "solver/factor/panel_layout.hpp"

#include <gtest/gtest.h>

#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// The layout guarantees: fronts of at least this many rows begin at, and have a leading dimension of, multiples of four.
constexpr std::int32_t aligned_from = 32;
constexpr std::int32_t alignment = 4;

void expect_layout(const SymbolicFactor& factor, const PanelLayout& layout) {
  ASSERT_EQ(layout.value_offset.size(), static_cast<std::size_t>(factor.supernodes()) + 1);
  ASSERT_EQ(layout.ld.size(), static_cast<std::size_t>(factor.supernodes()));
  ASSERT_EQ(layout.value_offset[SupernodeId(0)], 0);
  std::int64_t past = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int32_t front = factor.front(s);
    ASSERT_GE(layout.value_offset[s], past) << "panels do not overlap";
    ASSERT_LT(layout.value_offset[s] - past, alignment) << "nor leave more room than alignment needs";
    ASSERT_GE(layout.ld[s], front);
    ASSERT_LT(layout.ld[s] - front, alignment);
    if (front >= aligned_from) {
      ASSERT_EQ(layout.value_offset[s] % alignment, 0);
      ASSERT_EQ(layout.ld[s] % alignment, 0);
    } else {
      ASSERT_EQ(layout.ld[s], front);
    }
    past = layout.value_offset[s] + std::int64_t{layout.ld[s]} * factor.width(s);
  }
  ASSERT_EQ(layout.values(), past);
}

TEST(PanelLayout, PanelsAscendAlignedAndApart) {
  for (const auto& a : small_matrices()) {
    for (Merging merging : all_mergings()) {
      SCOPED_TRACE(a.name);
      const SymbolicFactor factor = analyze(graph_of(a), Ordering::automatic, merging);
      expect_layout(factor, build_panel_layout(factor));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(PanelLayout, NothingStoredForNoColumns) {
  EXPECT_EQ(PanelLayout().values(), 0);
  EXPECT_EQ(build_panel_layout(analyze(graph_of(diagonal_spd(0)), Ordering::natural, Merging::none)).values(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
