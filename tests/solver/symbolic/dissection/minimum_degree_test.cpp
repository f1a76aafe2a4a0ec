#include "solver/symbolic/dissection/minimum_degree.hpp"

#include <gtest/gtest.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solver/symbolic/dissection/quotient_graph.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"
#include "tests/solver/symbolic/geometric_graph.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::minimum_degree_order;

void expect_order_of(const RawVector<Vertex>& order, Vertex inner) {
  std::vector<Vertex> sorted(order.begin(), order.end());
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

double flops_of(const WeightedGraph& graph, const RawVector<Vertex>& order) {
  EliminationOrder elimination(order.size());
  for (NewIndex k : elimination.ids()) elimination[k] = OldIndex(std::int64_t{order[static_cast<std::size_t>(k.value)]});
  return build_column_tree(adjacency(graph), permutation_from(elimination)).flops();
}

TEST(MinimumDegree, OrdersEveryInnerVertexOnce) {
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

RawVector<Vertex> eigen_order(const WeightedGraph& graph) {
  const Vertex n = graph.vertices();
  std::vector<Eigen::Triplet<double>> entries;
  for (Vertex v = 0; v < n; ++v) {
    entries.emplace_back(v, v, 1.0);
    for (const Vertex u : graph.of(v)) entries.emplace_back(u, v, 1.0);
  }
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// Eigen's code breaks ties differently, so flops differ: by less than 50 % for a single graph and at most 5 % on average.
TEST(MinimumDegree, FlopsAreCloseToThoseOfEigenAmd) {
  double sum = 0.0;
  int graphs = 0;
  const auto compare = [&](const std::string& name, const WeightedGraph& graph) {
    const double ratio =
        flops_of(graph, minimum_degree_order(graph, graph.vertices())) / flops_of(graph, eigen_order(graph));
    EXPECT_LT(ratio, 1.5) << name;
    sum += std::log(ratio);
    ++graphs;
  };
  for (const char* name : {"lap2d:50", "lap3d:14", "lap27:10", "lap2d:120", "shell:12", "elas:6"}) compare(name, grid(name));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) compare(std::to_string(seed), random_graph(500, 1500, seed));
  EXPECT_LT(std::exp(sum / graphs), 1.05);
}

/// Neighbour lists with memory for `spare` more entries than the graph has.
template <class Place>
dissection::NeighbourLists<Place> lists_of(const WeightedGraph& graph, std::size_t spare) {
  dissection::NeighbourLists<Place> lists;
  lists.entries.assign(graph.neighbours.begin(), graph.neighbours.end());
  lists.used = static_cast<Place>(lists.entries.size());
  lists.entries.resize(lists.entries.size() + spare);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    lists.begin.push_back(static_cast<Place>(graph.begin(v)));
    lists.count.push_back(static_cast<std::int32_t>(graph.degree(v)));
    lists.weight.push_back(graph.weight(v));
  }
  return lists;
}

TEST(MinimumDegree, OrderDoesNotDependOnSpareMemoryAndIndexWidth) {
  for (const WeightedGraph& graph : {grid("lap2d:40"), grid("lap3d:9"), random_graph(400, 2400, 5), clique(40)}) {
    const Vertex n = graph.vertices();
    const RawVector<Vertex> order = minimum_degree_order(graph, n);
    const auto spare = static_cast<std::size_t>(n);
    for (const std::size_t room : {spare, 2 * spare, std::size_t{0}})
      EXPECT_EQ(dissection::QuotientGraph<std::int32_t>(lists_of<std::int32_t>(graph, room), n).run({}), order) << room;
    EXPECT_EQ(dissection::QuotientGraph<std::int64_t>(lists_of<std::int64_t>(graph, spare), n).run({}), order);
  }
}

/// Costs reported during the ordering never exceed those of the whole order; the last report equals them, except for height.
TEST(MinimumDegree, ReportsLowerBoundsOfItsCost) {
  for (const WeightedGraph& graph :
       {grid("lap2d:40"), grid("lap3d:9"), grid("shell:8"), random_graph(900, 3000, 7), star(100), clique(60),
        weighted(geometric_graph(1500, 8.0, 1)), weighted(geometric_graph(1500, 8.0, 2))}) {
    std::vector<CostBound> said;
    const Vertex n = graph.vertices();
    const auto order =
        dissection::QuotientGraph<std::int32_t>(lists_of<std::int32_t>(graph, 5000), n).run([&](const CostBound& cost) {
          said.push_back(cost);
          return true;
        });
    EliminationOrder elimination(order.size());
    for (NewIndex k : elimination.ids()) elimination[k] = OldIndex(std::int64_t{order[static_cast<std::size_t>(k.value)]});
    const ColumnTree tree = build_column_tree(adjacency(graph), permutation_from(elimination));
    for (const CostBound& cost : said) {
      EXPECT_LE(cost.flops, tree.flops());
      EXPECT_LE(cost.nonzeros, static_cast<double>(tree.nonzeros()));
      EXPECT_LE(cost.height, static_cast<double>(tree.height()));
    }
    // The last report covers the whole order.
    EXPECT_EQ(said.back().flops, tree.flops());
    EXPECT_EQ(said.back().nonzeros, static_cast<double>(tree.nonzeros()));
    EXPECT_GE(said.back().height, 0.1 * static_cast<double>(tree.height()));
  }
}

TEST(MinimumDegree, StopsWhenTheCallbackRefuses) {
  const WeightedGraph graph = grid("lap2d:40");
  int asked = 0;
  EXPECT_TRUE(dissection::QuotientGraph<std::int32_t>(lists_of<std::int32_t>(graph, 5000), graph.vertices())
                  .run([&](const CostBound&) { return ++asked < 5; })
                  .empty());
  EXPECT_EQ(asked, 5);
}

TEST(MinimumDegree, CountsHaloNeighboursInDegrees) {
  // A path a – b – c: a has ten halo neighbours, c has one. Without the halo, a and c are alike; with it, c goes first and a
  // last.
  std::set<std::pair<Vertex, Vertex>> edges{{0, 1}, {1, 2}};
  for (Vertex h = 3; h < 13; ++h) edges.insert({0, h});
  edges.insert({2, 13});
  EXPECT_EQ(minimum_degree_order(graph_of_edges(14, edges), 3), (RawVector<Vertex>{2, 1, 0}));
}

}  // namespace
}  // namespace gpusupernodal::test
