#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/supernodes.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// A forest from widths, parents and rows below.
SupernodeForest forest_of(const std::vector<std::int32_t>& widths, const std::vector<std::int32_t>& parents,
                          const std::vector<std::int32_t>& rows_below) {
  SupernodeForest forest;
  NewIndex column(0);
  for (std::size_t s = 0; s < widths.size(); ++s) {
    forest.first_column.push_back(column);
    forest.parent.push_back(SupernodeId(parents[s]));
    forest.rows_below.push_back(rows_below[s]);
    column = column + widths[s];
  }
  forest.first_column.push_back(column);
  return forest;
}

std::vector<std::int32_t> values(const SupernodeGroups& groups) {
  std::vector<std::int32_t> result;
  for (SupernodeId g : groups) result.push_back(g.value);
  return result;
}

TEST(FundamentalSupernodes, OfADenseMatrixIsOne) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(40, 3)), Ordering::natural, Merging::none);
  EXPECT_EQ(factor.supernodes(), 1);
  EXPECT_EQ(factor.rows_below(SupernodeId(0)), 0);
}

TEST(FundamentalSupernodes, OfAChainArePairedOnlyAtTheEnd) {
  const SymbolicFactor factor = analyze(graph_of(chain_spd(10)), Ordering::natural, Merging::none);
  EXPECT_EQ(factor.supernodes(), 9);
  EXPECT_EQ(factor.width(SupernodeId(8)), 2);
}

TEST(MergeNarrow, JoinsTheAdjacentChildWhileBothAreNarrow) {
  // 0 and 1 are children of 2; 1 has more rows and is adjacent. 2 is adjacent to 3, which is too wide to be merged into.
  const SupernodeForest forest = forest_of({2, 3, 4, 9}, {2, 2, 3, -1}, {3, 6, 9, 0});
  EXPECT_EQ(values(merge_narrow(forest, 8)), (std::vector<std::int32_t>{0, 2, 2, 3}));
  EXPECT_EQ(values(merge_narrow(forest, 10)), (std::vector<std::int32_t>{0, 3, 3, 3}));
  EXPECT_EQ(values(merge_narrow(forest, 4)), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(MergeNarrow, CountsWhatWasTakenInBefore) {
  const SupernodeForest chain = forest_of({3, 3, 3, 3}, {1, 2, 3, -1}, {1, 1, 1, 0});
  // 3 + 3 = 6 is no longer narrower than 5, so 1 does not go on into 2; 2 starts anew.
  EXPECT_EQ(values(merge_narrow(chain, 5)), (std::vector<std::int32_t>{1, 1, 3, 3}));
}

TEST(MergeBounded, TakesChildrenThatCostNothing) {
  // The child's rows are exactly the parent's columns and rows: no explicit zero, whatever the widths.
  const SupernodeForest forest = forest_of({500, 300}, {1, -1}, {300 + 40, 40});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{1, 1}));
}

TEST(MergeBounded, LeavesChildrenThatCostTooMuch) {
  const SupernodeForest forest = forest_of({100, 300}, {1, -1}, {5, 40});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{0, 1}));
}

TEST(MergeBounded, TakesAnyChildNotJustTheLast) {
  // Both children fit; none but the last could be adjacent before renumbering.
  const SupernodeForest forest = forest_of({10, 10, 300}, {2, 2, -1}, {300, 300, 0});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{2, 2, 2}));
}

TEST(MergeBounded, CountsTheZerosOfEarlierChildren) {
  // The first child costs 92 zeros of 137 allowed; the second 108 of 159, which would do if it were alone.
  const SupernodeForest forest = forest_of({4, 4, 4}, {2, 2, -1}, {1, 1, 20});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{2, 1, 2}));
}

TEST(GroupSupernodes, MakesMergedColumnsConsecutive) {
  const SupernodeForest forest = forest_of({1, 2, 1, 3}, {2, 3, 3, -1}, {4, 1, 3, 0});
  SupernodeGroups groups(4);
  groups[SupernodeId(0)] = SupernodeId(0);
  groups[SupernodeId(1)] = SupernodeId(3);
  groups[SupernodeId(2)] = SupernodeId(2);
  groups[SupernodeId(3)] = SupernodeId(3);
  const GroupedSupernodes grouped = group_supernodes(forest, groups);
  // 0 and 2 come first, then the group of 1 and 3 with the columns of 1 before those of 3.
  EXPECT_EQ(grouped.forest.first_column.back(), NewIndex(7));
  std::vector<std::int32_t> position;
  for (NewIndex p : grouped.column_position) position.push_back(p.value);
  EXPECT_EQ(position, (std::vector<std::int32_t>{0, 2, 3, 1, 4, 5, 6}));
  EXPECT_EQ(grouped.forest.rows_below[SupernodeId(2)], 0);
}

/// Σ (front − k)² over the columns of a panel: flops with explicit zeros.
double stored_flops(const SymbolicFactor& factor) {
  double sum = 0.0;
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int32_t k = 0; k < factor.width(s); ++k) {
      const double count = factor.front(s) - k;
      sum += count * count;
    }
  }
  return sum;
}

TEST(MergeBounded, CostsFewFlopsAndLeavesFewSupernodes) {
  const AdjacencyGraph graph = graph_of(io::generate("lap3d:25"));
  const SymbolicFactor none = analyze(graph, Ordering::metis, Merging::none);
  const SymbolicFactor bounded = analyze(graph, Ordering::metis, Merging::bounded);
  EXPECT_DOUBLE_EQ(stored_flops(none), none.flops);
  EXPECT_DOUBLE_EQ(bounded.flops, none.flops);
  EXPECT_LT(stored_flops(bounded), 1.15 * bounded.flops);
  EXPECT_LT(bounded.supernodes(), none.supernodes() / 3);
}

}  // namespace
}  // namespace gpusupernodal::test
