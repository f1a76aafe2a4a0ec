#include "solver/symbolic/dissection/multilevel.hpp"

#include <gtest/gtest.h>

#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::best_cut;
using dissection::Cut;
using dissection::separator;

/// Expects correct weights of the sides, a correct list of separator vertices, and no edge between the sides.
void expect_valid_separation(const WeightedGraph& graph, const dissection::Separation& separation) {
  std::array<std::int64_t, 3> weight{};
  std::size_t vertices = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const dissection::Side side = separation.side[static_cast<std::size_t>(v)];
    ASSERT_LE(side, separator);
    weight[side] += graph.weight(v);
    vertices += side == separator ? 1 : 0;
    for (Vertex u : graph.of(v)) {
      const dissection::Side other = separation.side[static_cast<std::size_t>(u)];
      ASSERT_TRUE(side == separator || other == separator || side == other) << v << " and " << u;
    }
  }
  EXPECT_EQ(weight, separation.weight);
  EXPECT_EQ(vertices, separation.separator_vertices.size());
  for (Vertex v : separation.separator_vertices) EXPECT_EQ(separation.side[static_cast<std::size_t>(v)], separator);
}

TEST(Multilevel, SeparatorsSeparate) {
  ThreadTeam team(1);
  for (const WeightedGraph& graph :
       {grid("lap2d:10"), grid("lap2d:90"), grid("lap3d:20"), chain(2000), random_graph(1000, 1500, 1),
        random_graph(1000, 20'000, 2), with_weights(grid("lap2d:30"), 3), clique(60), graph_of_edges(1, {})}) {
    for (std::uint64_t seed : {0, 1, 2}) {
      const Cut cut = best_cut(graph, seed, team);
      if (cut.components == 1) expect_valid_separation(graph, cut.separation);
    }
  }
}

/// The best separator of an N × N grid has at most N vertices (fewer if it cuts off corners), that of a cube at most N².
TEST(Multilevel, FindsTheSeparatorsOfGrids) {
  ThreadTeam team(1);
  const auto expect_good = [&](const char* name, std::int64_t best) {
    const WeightedGraph graph = grid(name);
    const Cut cut = best_cut(graph, 1, team);
    ASSERT_EQ(cut.components, 1);
    EXPECT_LE(cut.separation.weight[separator], best * 5 / 4) << name;
    const auto half = static_cast<double>(graph.total_weight) * dissection::largest_share;
    EXPECT_LE(static_cast<double>(std::max(cut.separation.weight[0], cut.separation.weight[1])), half);
  };
  expect_good("lap2d:30", 30);
  expect_good("lap2d:150", 150);
  expect_good("lap3d:12", 144);
  expect_good("lap3d:20", 400);
}

TEST(Multilevel, FindsComponents) {
  ThreadTeam team(1);
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 0; v + 3 < 3000; ++v) edges.insert({v, v + 3});
  const WeightedGraph graph = graph_of_edges(3000, edges);
  const Cut cut = best_cut(graph, 1, team);
  ASSERT_EQ(cut.components, 3);
  for (Vertex v = 0; v < 3000; ++v) {
    ASSERT_EQ(cut.component[static_cast<std::size_t>(v)], cut.component[static_cast<std::size_t>(v % 3)]);
  }
  EXPECT_EQ(best_cut(graph_of_edges(500, {}), 1, team).components, 500);
}

}  // namespace
}  // namespace gpusupernodal::test
