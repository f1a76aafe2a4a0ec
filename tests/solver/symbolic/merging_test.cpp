#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/supernodes.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Builds a forest from widths, parents and numbers of rows below.
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

TEST(FundamentalSupernodes, DenseMatrixHasOne) {
  const SymbolicFactor factor = analyze(graph_of(dense_spd(40, 3)), Ordering::natural, Merging::none);
  EXPECT_EQ(factor.supernodes(), 1);
  EXPECT_EQ(factor.rows_below(SupernodeId(0)), 0);
}

TEST(FundamentalSupernodes, ChainHasAPairOnlyAtTheEnd) {
  const SymbolicFactor factor = analyze(graph_of(chain_spd(10)), Ordering::natural, Merging::none);
  EXPECT_EQ(factor.supernodes(), 9);
  EXPECT_EQ(factor.width(SupernodeId(8)), 2);
}

TEST(MergeNarrow, JoinsTheAdjacentChildWhileBothAreNarrow) {
  // 0 and 1 are children of 2; 1 has more rows and is adjacent to 2. 2 is adjacent to 3, which is too wide to be merged
  // into.
  const SupernodeForest forest = forest_of({2, 3, 4, 9}, {2, 2, 3, -1}, {3, 6, 9, 0});
  EXPECT_EQ(values(merge_narrow(forest, 8)), (std::vector<std::int32_t>{0, 2, 2, 3}));
  EXPECT_EQ(values(merge_narrow(forest, 10)), (std::vector<std::int32_t>{0, 3, 3, 3}));
  EXPECT_EQ(values(merge_narrow(forest, 4)), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(MergeNarrow, CountsColumnsAlreadyMerged) {
  const SupernodeForest chain = forest_of({3, 3, 3, 3}, {1, 2, 3, -1}, {1, 1, 1, 0});
  // 3 + 3 = 6 is no longer narrower than 5, so 1 is not merged into 2, which begins a new group.
  EXPECT_EQ(values(merge_narrow(chain, 5)), (std::vector<std::int32_t>{1, 1, 3, 3}));
}

TEST(MergeBounded, MergesChildrenThatAddNoZeros) {
  // The child's rows are exactly the parent's columns and rows: merging adds no explicit zero, whatever the widths.
  const SupernodeForest forest = forest_of({500, 300}, {1, -1}, {300 + 40, 40});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{1, 1}));
}

TEST(MergeBounded, DoesNotMergeChildrenThatCostTooMuch) {
  const SupernodeForest forest = forest_of({100, 300}, {1, -1}, {5, 40});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{0, 1}));
}

TEST(MergeBounded, MergesAnyChildNotOnlyTheLast) {
  // Both children qualify, but only the last one could be adjacent before renumbering.
  const SupernodeForest forest = forest_of({10, 10, 300}, {2, 2, -1}, {300, 300, 0});
  EXPECT_EQ(values(merge_bounded(forest)), (std::vector<std::int32_t>{2, 2, 2}));
}

TEST(MergeBounded, CountsTheZerosOfEarlierChildren) {
  // The first child costs 92 zeros of 137 allowed. The second costs 108 of 159, which would be allowed without the first.
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
  // 0 and 2 come first, then the group of 1 and 3, in which the columns of 1 precede those of 3.
  EXPECT_EQ(grouped.forest.first_column.back(), NewIndex(7));
  std::vector<std::int32_t> position;
  for (NewIndex p : grouped.column_position) position.push_back(p.value);
  EXPECT_EQ(position, (std::vector<std::int32_t>{0, 2, 3, 1, 4, 5, 6}));
  EXPECT_EQ(grouped.forest.rows_below[SupernodeId(2)], 0);
}

/// Returns Σ (front − k)² over the columns of all panels: the flops including explicit zeros.
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

ColumnTree tree_of(const io::SymmetricMatrix& a) {
  const AdjacencyGraph graph = graph_of(a);
  return build_column_tree(graph, permutation_from(amd_order(graph)));
}

const MergeCosts levels;

/// Largest number of 64-column steps on a path to a root.
std::int64_t longest_path(const SupernodeForest& forest) {
  IdVector<SupernodeId, std::int64_t> below(forest.parent.size(), 0);
  std::int64_t longest = 0;
  for (SupernodeId s : forest.ids()) {
    const std::int64_t end = below[s] + (forest.width(s) + 63) / 64;
    longest = std::max(longest, end);
    if (forest.parent[s].valid()) below[forest.parent[s]] = std::max(below[forest.parent[s]], end);
  }
  return longest;
}

TEST(MergeBounded, ByStepsKeepsSiblingsParallel) {
  // With the siblings side by side and then the parent, the path has 4 steps. With a child merged into it, the parent would
  // end at step 6.
  const SupernodeForest siblings = forest_of({100, 100, 120}, {2, 2, -1}, {120, 120, 0});
  EXPECT_EQ(values(merge_bounded(siblings)), (std::vector<std::int32_t>{2, 1, 2}));
  EXPECT_EQ(values(merge_bounded(siblings, &levels)), (std::vector<std::int32_t>{0, 1, 2}));
  // 30 + 20 + 10 columns are one step instead of two.
  const SupernodeForest narrow = forest_of({30, 20, 10}, {2, 2, -1}, {600, 600, 600});
  EXPECT_EQ(values(merge_bounded(narrow, &levels)), (std::vector<std::int32_t>{2, 2, 2}));
}

/// The values that a merge adds above the diagonal must not cost more than the solve step that it may save.
TEST(MergeBounded, ByStepsMergesWideSupernodesOnlyToSaveALevel) {
  MergeCosts cost;
  cost.seconds_per_value = 1.0;
  cost.seconds_per_solve_step = 64 * 64;
  EXPECT_EQ(values(merge_bounded(forest_of({64, 64}, {1, -1}, {64, 0}), &cost)), (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(values(merge_bounded(forest_of({128, 64}, {1, -1}, {64, 0}), &cost)), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(values(merge_bounded(forest_of({130, 62}, {1, -1}, {62, 0}), &cost)), (std::vector<std::int32_t>{1, 1}));
}

TEST(MergeBounded, ByStepsNeverLengthensAPath) {
  for (const char* name : {"lap2d:60", "lap3d:14", "elas:6", "shell:20"}) {
    const ColumnTree tree = tree_of(io::generate(name));
    const SupernodeForest fundamental = fundamental_supernodes(tree);
    const SupernodeForest merged = group_supernodes(fundamental, merge_bounded(fundamental, &levels)).forest;
    EXPECT_LE(longest_path(merged), longest_path(fundamental)) << name;
    EXPECT_LT(merged.parent.size(), fundamental.parent.size()) << name;
  }
}

MergeCosts step_costs(double seconds_per_value) {
  MergeCosts costs;
  costs.seconds_per_level = 1.0;
  costs.seconds_per_value = seconds_per_value;
  return costs;
}

/// Prices one step of the longest path at 1 s and each value of a panel at `seconds_per_value`.
class StepModel : public CostModel {
 public:
  explicit StepModel(double seconds_per_value, double host_seconds = 1e9)
      : CostModel(step_costs(seconds_per_value)), host_seconds_(host_seconds) {}

  double device_seconds(const FrontTree& tree) const override {
    double values = 0.0;
    IdVector<SupernodeId, std::int32_t> end(tree.size(), 0);
    std::int32_t longest = 0;
    for (SupernodeId s : tree.ids()) {
      values += tree.width(s) * static_cast<double>(tree.front(s));
      end[s] += merge_costs().factor.steps(tree.width(s));
      longest = std::max(longest, end[s]);
      if (tree.parent(s).valid()) end[tree.parent(s)] = std::max(end[tree.parent(s)], end[s]);
    }
    return longest + values * merge_costs().seconds_per_value;
  }
  double host_seconds(const FrontTree&) const override { return host_seconds_; }

 private:
  double host_seconds_;
};

GroupedSupernodes merge_for_device(const SupernodeForest& forest, double seconds_per_value) {
  return merge_along_paths(forest, StepModel(seconds_per_value), false);
}

TEST(MergeAlongPaths, AcceptsZerosThatShortenThePathEnough) {
  // The child has 25 of the parent's 60 columns and rows: too many zeros for the bounds, but merging saves one of two steps.
  const SupernodeForest forest = forest_of({20, 40}, {1, -1}, {25, 20});
  EXPECT_EQ(values(merge_bounded(forest, &levels)), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(merge_for_device(forest, 0.0).forest.parent.size(), 1U);
  EXPECT_EQ(merge_for_device(forest, 1.0).forest.parent.size(), 2U);
  // With 5 of 60 rows, the merged panel would have more than 1.5 times as many values.
  const SupernodeForest sparse = forest_of({20, 40}, {1, -1}, {5, 20});
  EXPECT_EQ(merge_for_device(sparse, 0.0).forest.parent.size(), 2U);
}

TEST(MergeAlongPaths, SkipsShortPathsAndPathsFasterOnTheHost) {
  // The child at the side ends long before the main path does.
  const SupernodeForest forest = forest_of({20, 640, 20, 40}, {3, 2, 3, -1}, {5, 60, 60, 20});
  const GroupedSupernodes merged = merge_for_device(forest, 0.0);
  EXPECT_EQ(merged.forest.parent.size(), 2U) << "the long chain becomes one, the side stays";
  EXPECT_EQ(longest_path(merged.forest), 12);
  const StepModel fast_host(0.0, 1e-9);
  const SupernodeForest two = forest_of({20, 40}, {1, -1}, {25, 20});
  EXPECT_EQ(merge_along_paths(two, fast_host, true).forest.parent.size(), 2U);
  EXPECT_EQ(merge_along_paths(two, fast_host, false).forest.parent.size(), 1U);
}

/// Supernodes of an earlier group of rows stay separate, and the parent still waits for them.
TEST(MergeAlongPaths, KeepsGroupsOfRowsApart) {
  SupernodeForest forest = forest_of({8, 8, 40}, {2, 2, -1}, {20, 20, 20});
  EXPECT_EQ(merge_for_device(forest, 0.0).forest.parent.size(), 1U);
  for (const std::int32_t of_first : {0, 1}) {
    forest.group.assign(3, 1);
    forest.group[SupernodeId(0)] = of_first;
    forest.group[SupernodeId(1)] = 0;
    const GroupedSupernodes merged = merge_for_device(forest, 0.0);
    EXPECT_EQ(merged.forest.parent.size(), 3U) << "the parent ends no earlier without the other child";
    EXPECT_EQ(longest_path(merged.forest), 2);
  }
}

/// Columns 0 and 1 have the rows 2 and 3. By its count, column 1 could be joined with its parent, but the parent has another
/// child.
TEST(FundamentalSupernodes, SecondChildPreventsJoiningColumns) {
  ColumnTree tree;
  for (const std::int32_t p : {2, 2, 3, -1}) tree.parent.push_back(NewIndex(p));
  for (const std::int32_t c : {3, 3, 2, 1}) tree.count.push_back(c);
  const SupernodeForest forest = fundamental_supernodes(tree);
  ASSERT_EQ(forest.parent.size(), 3U);
  EXPECT_EQ(forest.width(SupernodeId(1)), 1);
  EXPECT_EQ(forest.width(SupernodeId(2)), 2);
  EXPECT_EQ(values(forest.parent), (std::vector<std::int32_t>{2, 2, -1}));
  EXPECT_EQ(forest.rows_below[SupernodeId(1)], 2);
}

/// A forest large enough to be split over threads.
TEST(MergeAlongPaths, DoesNotDependOnTheThreads) {
  const ColumnTree tree = tree_of(io::generate("lap2d:260"));
  const SupernodeForest fundamental = fundamental_supernodes(tree);
  ASSERT_GT(fundamental.parent.size(), 20'000U);
  const GroupedSupernodes merged = merge_for_device(fundamental, 1e-9);
  for (const int threads : {2, 4}) {
    ThreadTeam team(threads);
    team.execute([&] {
      const SupernodeForest same = fundamental_supernodes(tree, {}, team);
      EXPECT_EQ(same.first_column, fundamental.first_column);
      EXPECT_EQ(same.parent, fundamental.parent);
      EXPECT_EQ(same.rows_below, fundamental.rows_below);
      EXPECT_EQ(merge_bounded(same, nullptr, team), merge_bounded(fundamental));
      EXPECT_EQ(merge_bounded(same, &levels, team), merge_bounded(fundamental, &levels));
      const GroupedSupernodes again = merge_along_paths(same, StepModel(1e-9), false, team);
      EXPECT_EQ(again.forest.first_column, merged.forest.first_column);
      EXPECT_EQ(again.forest.parent, merged.forest.parent);
      EXPECT_EQ(again.column_position, merged.column_position);
    });
  }
}

/// After several rounds of merges, every column has its own position, next to the columns of its supernode.
TEST(MergeAlongPaths, PlacesEveryColumnOnce) {
  const ColumnTree tree = tree_of(io::generate("lap3d:12"));
  const SupernodeForest fundamental = fundamental_supernodes(tree);
  const GroupedSupernodes merged = merge_for_device(fundamental, 1e-9);
  EXPECT_LT(longest_path(merged.forest), longest_path(fundamental));
  std::vector<bool> taken(merged.column_position.size(), false);
  for (NewIndex p : merged.column_position) {
    EXPECT_FALSE(taken[static_cast<std::size_t>(p.value)]);
    taken[static_cast<std::size_t>(p.value)] = true;
  }
  for (SupernodeId s : fundamental.ids()) {
    for (NewIndex j = fundamental.first_column[s]; j < fundamental.first_column[s + 1]; ++j) {
      EXPECT_EQ(merged.column_position[j].value - merged.column_position[fundamental.first_column[s]].value,
                j.value - fundamental.first_column[s].value);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
