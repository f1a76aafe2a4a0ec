#include "solver/symbolic/dissection/minimum_degree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::minimum_degree_order;

void expect_order_of(const std::vector<Vertex>& order, Vertex inner) {
  std::vector<Vertex> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), static_cast<std::size_t>(inner));
  for (Vertex v = 0; v < inner; ++v) ASSERT_EQ(sorted[static_cast<std::size_t>(v)], v);
}

AdjacencyGraph adjacency(const WeightedGraph& graph) {
  AdjacencyGraph result;
  result.order = graph.vertices();
  result.offsets.assign(graph.offsets.begin(), graph.offsets.end());
  for (Vertex v : graph.neighbours) result.neighbours.push_back(OldIndex(std::int64_t{v}));
  return result;
}

double flops_of(const WeightedGraph& graph, const std::vector<Vertex>& order) {
  EliminationOrder elimination(order.size());
  for (NewIndex k : elimination.ids()) elimination[k] = OldIndex(std::int64_t{order[static_cast<std::size_t>(k.value)]});
  return build_column_tree(adjacency(graph), permutation_from(elimination)).flops();
}

TEST(MinimumDegree, OrdersEveryVertexOnceWhateverTheHalo) {
  for (const WeightedGraph& graph : {star(50), chain(50), clique(30), random_graph(300, 900, 1), random_graph(300, 9000, 2),
                                     with_weights(random_graph(300, 1200, 3), 4), graph_of_edges(20, {})}) {
    for (Vertex inner : {graph.vertices(), graph.vertices() / 2, Vertex{1}, Vertex{0}}) {
      expect_order_of(minimum_degree_order(graph, inner), inner);
    }
  }
}

TEST(MinimumDegree, TreesGetNoFill) {
  for (Vertex n : {2, 3, 100, 1000}) {
    for (const WeightedGraph& tree : {star(n), chain(n)}) {
      EXPECT_EQ(flops_of(tree, minimum_degree_order(tree, n)), 4.0 * (n - 1) + 1.0);
    }
  }
}

/// Ties are broken otherwise than by Eigen's code, so single graphs differ; none by half on these.
TEST(MinimumDegree, IsAboutAsGoodAsEigens) {
  for (const char* name : {"lap2d:50", "lap3d:14", "lap27:10", "lap2d:120"}) {
    const WeightedGraph graph = grid(name);
    const AdjacencyGraph plain = graph_of(io::generate(name));
    const double eigen = build_column_tree(plain, permutation_from(amd_order(plain))).flops();
    EXPECT_LT(flops_of(graph, minimum_degree_order(graph, graph.vertices())), 1.5 * eigen) << name;
  }
}

TEST(MinimumDegree, CountsTheHalo) {
  // A path a – b – c: a sees ten halo vertices, c one. Without the halo all ends are alike; with it c goes first, a last.
  std::set<std::pair<Vertex, Vertex>> edges{{0, 1}, {1, 2}};
  for (Vertex h = 3; h < 13; ++h) edges.insert({0, h});
  edges.insert({2, 13});
  EXPECT_EQ(minimum_degree_order(graph_of_edges(14, edges), 3), (std::vector<Vertex>{2, 1, 0}));
}

}  // namespace
}  // namespace gpusupernodal::test
