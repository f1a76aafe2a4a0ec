#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

TEST(AnalyzeGraph, ReportsOrderingReasonAndTimes) {
  SymbolicReport report;
  analyze_graph(graph_of(random_spd(300, 900, 1)), SymbolicOptions{}, report);
  EXPECT_NE(report.ordering, Ordering::automatic) << "the one used";
  EXPECT_NE(report.reason, "");
  EXPECT_GT(report.seconds_ordering, 0.0);
  EXPECT_GT(report.seconds_symbolic, 0.0);
}

TEST(AnalyzeGraph, ReportsItsStepsInOrder) {
  std::vector<std::string> steps;
  SymbolicReport report;
  analyze_graph(graph_of(chain_spd(20)), SymbolicOptions{}, report, [&](const Progress& progress) {
    steps.emplace_back(progress.phase);
    return true;
  });
  EXPECT_EQ(steps, (std::vector<std::string>{"ordering", "elimination tree", "supernodes", "row structures"}));
}

TEST(AnalyzeGraph, CanBeCancelledAtEveryStep) {
  const AdjacencyGraph graph = graph_of(chain_spd(20));
  for (int steps = 0; steps < 4; ++steps) {
    SymbolicReport report;
    report.reason = "untouched";
    int left = steps;
    const auto cancel = [&](const Progress&) { return left-- > 0; };
    EXPECT_THROW(analyze_graph(graph, SymbolicOptions{}, report, cancel), Cancelled);
    EXPECT_EQ(report.reason, "untouched");
  }
}

TEST(AnalyzeGraph, RefusesAnInvalidUserPermutation) {
  const std::vector<std::int64_t> twice{0, 1, 1};
  SymbolicOptions options;
  options.ordering = Ordering::user;
  options.user_permutation = twice;
  SymbolicReport report;
  EXPECT_THROW(analyze_graph(graph_of(chain_spd(3)), options, report), InvalidInput);
}

/// The tree and its postorder depend on the permutation alone, so a user's permutation gives the same factor.
TEST(AnalyzeGraph, UserPermutationGivesTheFactorOfTheBuiltInOrdering) {
  for (const char* name : {"lap2d:40", "lap3d:12", "elas:6"}) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    for (Ordering ordering : {Ordering::metis, Ordering::nested_dissection, Ordering::amd}) {
      SymbolicOptions options;
      options.ordering = ordering;
      ThreadTeam team(1);
      const Permutation order = permutation_from(choose_order(graph, options, team).order);
      const SymbolicFactor inside = analyze(graph, ordering, Merging::bounded);
      const SymbolicFactor outside = analyze_in_order(graph, order, Merging::bounded);
      EXPECT_EQ(outside.nonzeros, inside.nonzeros);
      EXPECT_EQ(outside.flops, inside.flops);
      EXPECT_EQ(outside.first_column, inside.first_column);
      EXPECT_EQ(outside.parent, inside.parent);
      EXPECT_EQ(outside.rows, inside.rows);
    }
  }
}

/// An order need not be postordered: any order with the same elimination graph gives the same fill and flops.
TEST(AnalyzeGraph, OrderByTreeLevelsKeepsFillAndFlops) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:40"));
  const SymbolicFactor inside = analyze(graph, Ordering::nested_dissection, Merging::none);
  const ColumnTree tree = build_column_tree(graph, inside.permutation);
  std::vector<std::int32_t> height(tree.parent.size(), 0);
  for (NewIndex j : tree.parent.ids()) {
    if (!tree.parent[j].valid()) continue;
    std::int32_t& above = height[static_cast<std::size_t>(tree.parent[j].value)];
    above = std::max(above, height[static_cast<std::size_t>(j.value)] + 1);
  }
  EliminationOrder by_levels = tree.permutation.old_of_new;
  std::vector<NewIndex> positions;
  for (NewIndex j : tree.parent.ids()) positions.push_back(j);
  std::stable_sort(positions.begin(), positions.end(), [&](NewIndex a, NewIndex b) {
    return height[static_cast<std::size_t>(a.value)] < height[static_cast<std::size_t>(b.value)];
  });
  for (NewIndex k : by_levels.ids())
    by_levels[k] = tree.permutation.old_of_new[positions[static_cast<std::size_t>(k.value)]];
  const SymbolicFactor outside = analyze_in_order(graph, permutation_from(by_levels), Merging::none);
  EXPECT_EQ(outside.nonzeros, inside.nonzeros);
  EXPECT_EQ(outside.flops, inside.flops);
  EXPECT_EQ(outside.supernodes(), inside.supernodes());
}

TEST(AnalyzeGraph, IsTheSameOnAnyNumberOfThreads) {
  for (const char* name : {"lap3d:22", "lap2d:120", "elas:10"}) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    SymbolicOptions options;
    SymbolicReport report;
    const SymbolicFactor expected = analyze_graph(graph, options, report);
    for (int threads : {2, 3, 8}) {
      options.threads = threads;
      const SymbolicFactor factor = analyze_graph(graph, options, report);
      EXPECT_EQ(factor.permutation.old_of_new, expected.permutation.old_of_new);
      EXPECT_EQ(factor.row_offset, expected.row_offset);
      EXPECT_EQ(factor.rows, expected.rows);
    }
  }
}

TEST(AnalyzeGraph, RepeatedAnalysesGiveTheSameFactor) {
  const AdjacencyGraph graph = graph_of(random_spd(400, 1600, 9));
  const SymbolicFactor first = analyze(graph, Ordering::automatic, Merging::bounded);
  const SymbolicFactor second = analyze(graph, Ordering::automatic, Merging::bounded);
  EXPECT_EQ(first.permutation.old_of_new, second.permutation.old_of_new);
  EXPECT_EQ(first.rows, second.rows);
}

}  // namespace
}  // namespace gpusupernodal::test
