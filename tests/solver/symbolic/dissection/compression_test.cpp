#include "solver/symbolic/dissection/compression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::compress;
using dissection::CompressedGraph;

std::set<std::int32_t> closed_neighbours(const AdjacencyGraph& graph, std::int32_t row) {
  std::set<std::int32_t> result{row};
  for (OldIndex u : graph.of(OldIndex(std::int64_t{row}))) result.insert(u.value);
  return result;
}

/// Two rows are in one class iff their closed neighbourhoods are equal, and classes are joined iff their rows are.
void expect_classes(const AdjacencyGraph& graph, const CompressedGraph& compressed) {
  std::map<std::set<std::int32_t>, std::int32_t> class_of;
  std::map<std::int32_t, std::int32_t> class_of_row;
  for (Vertex c = 0; c < compressed.graph.vertices(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    ASSERT_EQ(compressed.graph.weight(c), compressed.class_begin[i + 1] - compressed.class_begin[i]);
    const std::int32_t first = compressed.rows[static_cast<std::size_t>(compressed.class_begin[i])];
    ASSERT_TRUE(class_of.insert({closed_neighbours(graph, first), c}).second) << "two classes with equal neighbours";
    for (std::int64_t r = compressed.class_begin[i]; r < compressed.class_begin[i + 1]; ++r) {
      const std::int32_t row = compressed.rows[static_cast<std::size_t>(r)];
      ASSERT_EQ(closed_neighbours(graph, row), closed_neighbours(graph, first));
      ASSERT_TRUE(class_of_row.insert({row, c}).second);
    }
  }
  ASSERT_EQ(class_of_row.size() + compressed.dense_rows.size(), static_cast<std::size_t>(graph.order));
  for (const auto& [row, c] : class_of_row) {
    std::set<Vertex> expected;
    for (std::int32_t u : closed_neighbours(graph, row)) {
      if (class_of_row.count(u) != 0 && class_of_row[u] != c) expected.insert(class_of_row[u]);
    }
    const auto list = compressed.graph.of(c);
    ASSERT_EQ(std::set<Vertex>(list.begin(), list.end()), expected);
    ASSERT_EQ(list.size(), expected.size());
  }
}

TEST(Compression, JoinsExactlyTheIndistinguishableRows) {
  ThreadTeam team(1);
  for (const auto& a : small_matrices()) {
    SCOPED_TRACE(a.name);
    const AdjacencyGraph graph = graph_of(a);
    expect_classes(graph, compress(graph, team));
  }
  const AdjacencyGraph elasticity = graph_of(io::generate("elas:6"));
  const CompressedGraph compressed = compress(elasticity, team);
  expect_classes(elasticity, compressed);
  EXPECT_EQ(compressed.graph.vertices(), 216);
}

TEST(Compression, SetsDenseRowsAside) {
  constexpr std::int64_t n = 20'000;
  std::vector<std::vector<std::int64_t>> lists(n);
  for (std::int64_t j = 0; j < n; ++j) {
    lists[static_cast<std::size_t>(j)] = {j};
    if (j + 1 < n) lists[static_cast<std::size_t>(j)].push_back(j + 1);
    if (j < 7777 && j + 1 != 7777) lists[static_cast<std::size_t>(j)].push_back(7777);
    if (j == 7777) {
      for (std::int64_t i = j + 2; i < n; ++i) lists[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  const OwnedPattern pattern(lists);
  const AdjacencyGraph graph = build_adjacency(pattern.view());
  for (int threads : {1, 3}) {
    ThreadTeam team(threads);
    const CompressedGraph compressed = compress(graph, team);
    EXPECT_EQ(compressed.dense_rows, std::vector<std::int32_t>{7777});
    // Without the dense row, two chains are left.
    EXPECT_EQ(compressed.graph.vertices(), n - 1);
    EXPECT_EQ(compressed.graph.neighbours.size(), 2 * static_cast<std::size_t>(n - 3));
  }
}

TEST(Compression, TwoCliquesBecomeTwoVertices) {
  std::set<std::pair<Vertex, Vertex>> edges;
  std::vector<std::vector<std::int64_t>> lists(1000);
  for (std::int64_t j = 0; j < 1000; ++j) {
    for (std::int64_t i = j; i < 1000; i += 2) lists[static_cast<std::size_t>(j)].push_back(i);
  }
  const OwnedPattern pattern(lists);
  ThreadTeam team(1);
  const CompressedGraph compressed = compress(build_adjacency(pattern.view()), team);
  EXPECT_EQ(compressed.graph.vertices(), 2);
  EXPECT_TRUE(compressed.dense_rows.empty());
}

}  // namespace
}  // namespace gpusupernodal::test
