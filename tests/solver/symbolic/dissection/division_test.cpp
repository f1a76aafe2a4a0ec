#include "solver/symbolic/dissection/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/symbolic/dissection/node_refinement.hpp"
#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::divide_graph;
using dissection::Division;
using dissection::is_below;
using dissection::Node;

/// Expects that, for the nodes of the two vertices of an edge, one is equal to the other or below it.
void expect_division(const WeightedGraph& graph, const Division& division) {
  ASSERT_EQ(division.node.size(), static_cast<std::size_t>(graph.vertices()));
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Node a = division.node[static_cast<std::size_t>(v)];
    ASSERT_GE(a, 1);
    ASSERT_LT(a, 2 * division.first_leaf());
    for (Vertex u : graph.of(v)) {
      const Node b = division.node[static_cast<std::size_t>(u)];
      ASSERT_TRUE(is_below(a, b) || is_below(b, a)) << v << " in " << int{a} << ", " << u << " in " << int{b};
    }
  }
}

std::vector<std::int64_t> weights_of(const WeightedGraph& graph, const Division& division) {
  std::vector<std::int64_t> weights(2U * division.first_leaf(), 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) weights[division.node[static_cast<std::size_t>(v)]] += graph.weight(v);
  return weights;
}

TEST(Division, NodesOfATreeHaveDepthsAndAncestors) {
  EXPECT_EQ(dissection::depth_of(1), 0);
  EXPECT_EQ(dissection::depth_of(7), 2);
  EXPECT_TRUE(is_below(11, 5) && is_below(5, 5) && !is_below(5, 11) && !is_below(11, 4));
  EXPECT_EQ(dissection::common_ancestor(11, 8), 2);
  EXPECT_EQ(dissection::common_ancestor(11, 5), 5);
  EXPECT_EQ(dissection::common_ancestor(8, 15), 1);
}

TEST(Division, SeparatorsSeparateAtEveryDepth) {
  ThreadTeam team(1);
  for (const WeightedGraph& graph :
       {grid("lap2d:10"), grid("lap2d:90"), grid("lap3d:20"), grid("lap27:16"), chain(5000), star(3000),
        random_graph(5000, 7000, 1), random_graph(3000, 20'000, 2), with_weights(grid("lap2d:70"), 3),
        with_weights(random_graph(4000, 5000, 3), 5), clique(60), graph_of_edges(1, {})}) {
    for (int depth = 1; depth <= dissection::max_division_depth; ++depth) {
      for (std::uint64_t seed : {0, 1}) {
        const Division division = divide_graph(graph, depth, seed, team);
        if (division.components > 1) continue;
        SCOPED_TRACE(testing::Message() << graph.vertices() << " vertices, depth " << depth << ", seed " << seed);
        expect_division(graph, division);
      }
    }
  }
}

/// The separators of the first three levels of an N³ cube have at most N², N² / 2 and N² / 4 vertices each.
TEST(Division, SeparatorsOfACubeAreThinAndNoPartIsTooHeavy) {
  ThreadTeam team(1);
  const WeightedGraph graph = grid("lap3d:30");
  const Division division = divide_graph(graph, 3, 1, team);
  ASSERT_EQ(division.components, 1);
  const std::vector<std::int64_t> weights = weights_of(graph, division);
  std::int64_t separators = 0;
  for (std::size_t t = 1; t < 8; ++t) separators += weights[t];
  EXPECT_LE(separators, (900 + 2 * 450 + 4 * 225) * 5 / 4);
  const double heaviest = std::pow(dissection::largest_share, 3) * static_cast<double>(graph.total_weight);
  EXPECT_LE(static_cast<double>(*std::max_element(weights.begin() + 8, weights.end())), heaviest);
}

TEST(Division, FindsComponents) {
  ThreadTeam team(1);
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 0; v + 3 < 9000; ++v) edges.insert({v, v + 3});
  const Division division = divide_graph(graph_of_edges(9000, edges), 3, 1, team);
  ASSERT_EQ(division.components, 3);
  for (Vertex v = 0; v < 9000; ++v) {
    ASSERT_EQ(division.component[static_cast<std::size_t>(v)], division.component[static_cast<std::size_t>(v % 3)]);
  }
}

TEST(Division, IsTheSameOnAnyNumberOfThreads) {
  const WeightedGraph graph = grid("lap3d:32");
  ThreadTeam one(1);
  const Division expected = divide_graph(graph, 4, 7, one);
  for (int threads : {2, 3, 8}) {
    ThreadTeam team(threads);
    team.execute([&] { EXPECT_EQ(divide_graph(graph, 4, 7, team).node, expected.node); });
  }
}

/// Refines a division whose separators are three layers thick.
TEST(Division, RefinementKeepsWeightsAndMakesThickSeparatorsThin) {
  ThreadTeam team(1);
  const WeightedGraph graph = grid("lap2d:60");
  Division division;
  division.depth = 2;
  division.node.resize(3600);
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 60; ++x) {
      const bool upper = y >= 30;
      const Node child = upper ? 3 : 2;
      const bool in_root = y >= 29 && y <= 31;
      const bool in_child = x >= 29 && x <= 31;
      division.node[static_cast<std::size_t>(60 * y + x)] =
          in_root ? Node{1} : (in_child ? child : static_cast<Node>(2 * child + (x > 30 ? 1 : 0)));
    }
  }
  dissection::NodeWeights weights{};
  const std::vector<std::int64_t> before = weights_of(graph, division);
  std::copy(before.begin(), before.end(), weights.begin());
  dissection::refine_nodes(graph, division, weights, {}, 1, team);
  expect_division(graph, division);
  const std::vector<std::int64_t> after = weights_of(graph, division);
  for (std::size_t t = 0; t < after.size(); ++t) EXPECT_EQ(after[t], weights[t]) << t;
  EXPECT_LE(after[1], 60);
  EXPECT_LE(after[2], 32);
  EXPECT_LE(after[3], 32);
}

}  // namespace
}  // namespace gpusupernodal::test
