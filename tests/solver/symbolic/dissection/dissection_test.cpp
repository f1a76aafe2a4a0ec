#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/reference_symbolic.hpp"

namespace gpusupernodal::test {
namespace {

EliminationOrder dissect(const AdjacencyGraph& graph, std::uint64_t seed = 0, int threads = 1) {
  ThreadTeam team(threads);
  return dissection_order(graph, seed, team);
}

void expect_permutation_of(const EliminationOrder& order, std::int32_t n) {
  ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
  std::vector<int> seen(static_cast<std::size_t>(n), 0);
  for (OldIndex i : order) ++seen[static_cast<std::size_t>(i.value)];
  for (int count : seen) ASSERT_EQ(count, 1);
}

ColumnTree tree_of(const AdjacencyGraph& graph, const EliminationOrder& order) {
  return build_column_tree(graph, permutation_from(order));
}

/// Graph of the pattern with the diagonal and the rows rows_of(j) in column j.
template <class Rows>
AdjacencyGraph graph_with(std::int64_t n, Rows&& rows_of) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    lists[static_cast<std::size_t>(j)] = rows_of(j);
    lists[static_cast<std::size_t>(j)].insert(lists[static_cast<std::size_t>(j)].begin(), j);
  }
  const OwnedPattern pattern(lists);
  return build_adjacency(pattern.view());
}

using Rows = std::vector<std::int64_t>;

TEST(Dissection, FillEqualsThatOfTheReference) {
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const AdjacencyGraph graph = graph_of(a);
    expect_permutation_of(dissect(graph), graph.order);
  }
  for (const char* name : {"lap2d:45", "lap3d:13", "elas:7", "shell:18", "lap27:11"}) {
    SCOPED_TRACE(name);
    const AdjacencyGraph graph = graph_of(io::generate(name));
    const EliminationOrder order = dissect(graph);
    expect_permutation_of(order, graph.order);
    const ReferenceCounts reference = reference_counts(graph, permutation_from(order));
    EXPECT_EQ(tree_of(graph, order).nonzeros(), reference.nonzeros);
    EXPECT_EQ(tree_of(graph, order).flops(), reference.flops);
  }
}

/// For single matrices, the limits are 10 % more entries of L and 20 % more flops than METIS.
TEST(Dissection, FillsAboutAsLittleAsMetis) {
  for (const char* name : {"lap2d:100", "lap2d:250", "lap3d:20", "lap3d:33", "elas:14", "shell:50", "lap27:18"}) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    const ColumnTree metis = tree_of(graph, metis_order(graph));
    const ColumnTree ours = tree_of(graph, dissect(graph));
    EXPECT_LE(static_cast<double>(ours.nonzeros()), 1.10 * static_cast<double>(metis.nonzeros())) << name;
    EXPECT_LE(ours.flops(), 1.20 * metis.flops()) << name;
  }
}

TEST(Dissection, IsTheSameOnAnyNumberOfThreads) {
  for (const char* name : {"lap2d:260", "lap3d:30", "elas:16"}) {
    const AdjacencyGraph graph = graph_of(io::generate(name));
    const EliminationOrder expected = dissect(graph, 5);
    for (int threads : {2, 3, 8}) EXPECT_EQ(dissect(graph, 5, threads), expected) << name << ", " << threads << " threads";
  }
}

TEST(Dissection, DependsOnItsSeedAndNotOnStdRand) {
  const AdjacencyGraph graph = graph_of(io::generate("lap2d:60"));
  std::srand(11);
  const int first = std::rand();
  const int second = std::rand();
  std::srand(11);
  EXPECT_EQ(std::rand(), first);
  const EliminationOrder order = dissect(graph, 1);
  EXPECT_EQ(std::rand(), second);
  std::srand(12);
  EXPECT_EQ(dissect(graph, 1), order);
  EXPECT_NE(dissect(graph, 2), order);
}

/// Isolated vertices, stars and pairs have orders without fill, and the dissection must find one.
TEST(Dissection, ForestsGetNoFill) {
  constexpr std::int64_t n = 20'000;
  const auto expect_no_fill = [](const AdjacencyGraph& graph) {
    const EliminationOrder order = dissect(graph);
    expect_permutation_of(order, graph.order);
    EXPECT_EQ(tree_of(graph, order).nonzeros(), graph.order + static_cast<std::int64_t>(graph.neighbours.size()) / 2);
  };
  expect_no_fill(graph_with(n, [](std::int64_t) { return Rows{}; }));
  expect_no_fill(graph_with(n, [](std::int64_t j) { return j + 1 < n ? Rows{n - 1} : Rows{}; }));
  expect_no_fill(graph_with(n, [](std::int64_t j) { return j % 2 == 0 ? Rows{j + 1} : Rows{}; }));
  expect_no_fill(graph_with(1, [](std::int64_t) { return Rows{}; }));
  expect_no_fill(graph_with(0, [](std::int64_t) { return Rows{}; }));
}

TEST(Dissection, ChainsGetLittleFill) {
  constexpr std::int64_t n = 50'000;
  const AdjacencyGraph graph = graph_with(n, [](std::int64_t j) { return j + 1 < n ? Rows{j + 1} : Rows{}; });
  // A column between two separators has at most the rows of these two.
  EXPECT_LE(tree_of(graph, dissect(graph)).nonzeros(), 3 * n);
}

TEST(Dissection, CliquesAreEliminatedWhole) {
  const AdjacencyGraph graph = graph_of(dense_spd(300, 3));
  const EliminationOrder order = dissect(graph);
  expect_permutation_of(order, 300);
  EXPECT_EQ(tree_of(graph, order).nonzeros(), 300 * 301 / 2);
}

TEST(Dissection, DenseRowAddsLittleFillToAGrid) {
  const AdjacencyGraph grid = graph_of(io::generate("lap2d:150"));
  const std::int64_t n = grid.order + 1;
  const AdjacencyGraph graph = graph_with(n, [&](std::int64_t j) {
    Rows rows;
    if (j + 1 == n) return rows;
    for (OldIndex i : grid.of(OldIndex(j))) {
      if (i.value > j) rows.push_back(i.value);
    }
    rows.push_back(n - 1);
    return rows;
  });
  const std::int64_t without = tree_of(grid, dissect(grid)).nonzeros();
  EXPECT_EQ(tree_of(graph, dissect(graph)).nonzeros(), without + n) << "one entry more a column";
}

}  // namespace
}  // namespace gpusupernodal::test
