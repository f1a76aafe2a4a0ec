#include <gtest/gtest.h>

#include <algorithm>

#include "tests/solver/symbolic/factor_checks.hpp"
#include "tests/solver/symbolic/graphs.hpp"

namespace gpusupernodal::test {
namespace {

/// Large enough that a quadratic or recursive algorithm does not finish, small enough for sanitizers.
constexpr std::int64_t large = 200'000;

/// Graph of a pattern whose column j has the diagonal and the row below(j), if below(j) > j.
template <class Below>
AdjacencyGraph forest_graph(std::int64_t n, Below&& below) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  for (std::int64_t j = 0; j < n; ++j) {
    indices.push_back(j);
    const std::int64_t row = below(j);
    if (row > j) indices.push_back(row);
    offsets.push_back(static_cast<std::int64_t>(indices.size()));
  }
  PatternView pattern;
  pattern.n = n;
  pattern.offsets = offsets.data();
  pattern.indices = indices.data();
  validate_pattern(pattern);
  return build_adjacency(pattern);
}

/// Expects the given counts, which are known in closed form because there is no fill.
void expect_large(const AdjacencyGraph& graph, Ordering ordering, std::int64_t nonzeros, double flops) {
  for (Merging merging : all_mergings()) {
    const SymbolicFactor factor = analyze(graph, ordering, merging);
    expect_permutation(factor.permutation, graph.order);
    expect_well_formed(factor);
    expect_postordered(factor);
    EXPECT_EQ(factor.nonzeros, nonzeros);
    EXPECT_EQ(factor.flops, flops);
  }
}

TEST(SymbolicScale, ChainTakesLinearTime) {
  const auto graph = forest_graph(large, [](std::int64_t j) { return j + 1 < large ? j + 1 : -1; });
  expect_large(graph, Ordering::natural, 2 * large - 1, 4.0 * (large - 1) + 1.0);
}

TEST(SymbolicScale, ArrowheadTakesLinearTime) {
  const auto graph = forest_graph(large, [](std::int64_t) { return large - 1; });
  expect_large(graph, Ordering::natural, 2 * large - 1, 4.0 * (large - 1) + 1.0);
}

TEST(SymbolicScale, ComponentsTakeLinearTime) {
  const auto graph = forest_graph(large, [](std::int64_t) { return -1; });
  expect_large(graph, Ordering::automatic, large, static_cast<double>(large));
}

/// The dissection is not quadratic either, and forests get no fill, except for some in chains.
TEST(SymbolicScale, DissectionTakesLinearTimeAndFillsLittle) {
  const auto expect_little = [](const AdjacencyGraph& graph, std::int64_t max_nonzeros) {
    EXPECT_LE(analyze(graph, Ordering::nested_dissection, Merging::bounded).nonzeros, max_nonzeros);
  };
  expect_little(forest_graph(large, [](std::int64_t j) { return j + 1 < large ? j + 1 : -1; }), 3 * large);
  expect_little(forest_graph(large, [](std::int64_t) { return large - 1; }), 2 * large - 1);
  expect_little(forest_graph(large, [](std::int64_t) { return -1; }), large);
  expect_little(forest_graph(large, [](std::int64_t j) { return j % 2 == 0 ? j + 1 : -1; }), large / 2 * 3);
  // Stars of 300 rays: two-hop pairs and components.
  expect_little(forest_graph(large, [](std::int64_t j) { return std::min(j / 300 * 300 + 299, large - 1); }), 2 * large);
}

TEST(SymbolicScale, PairsTakeLinearTime) {
  const auto graph = forest_graph(large, [](std::int64_t j) { return j % 2 == 0 ? j + 1 : -1; });
  expect_large(graph, Ordering::natural, large / 2 * 3, static_cast<double>(large) / 2 * 5.0);
}

TEST(SymbolicScale, BinaryTreeIsOrderedWithoutFill) {
  // Parents as in a binary heap with reversed numbers, so children come before parents.
  const auto graph =
      forest_graph(large, [](std::int64_t j) { return j == large - 1 ? -1 : large - 1 - (large - 1 - j - 1) / 2; });
  expect_large(graph, Ordering::natural, 2 * large - 1, 4.0 * (large - 1) + 1.0);
}

TEST(SymbolicScale, StarIsOrderedWithoutFillByAutomatic) {
  const auto graph = forest_graph(large, [](std::int64_t j) { return j == large - 1 ? -1 : large - 1; });
  const SymbolicFactor factor = analyze(graph, Ordering::automatic, Merging::bounded);
  EXPECT_EQ(factor.nonzeros, graph.order + static_cast<std::int64_t>(graph.neighbours.size()) / 2);
}

}  // namespace
}  // namespace gpusupernodal::test
