#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "solver/symbolic/dissection/clustering.hpp"
#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::cluster_vertices;
using dissection::Clustering;
using dissection::ClusteringLimits;
using dissection::CoarseGraph;

std::vector<WeightedGraph> graphs() {
  std::vector<WeightedGraph> list;
  list.push_back(graph_of_edges(1, {}));
  list.push_back(graph_of_edges(7, {}));
  list.push_back(star(500));
  list.push_back(chain(500));
  list.push_back(clique(40));
  list.push_back(grid("lap2d:230"));  // Large enough for the pairing in rounds.
  list.push_back(random_graph(2000, 9000, 3));
  list.push_back(with_weights(random_graph(1000, 4000, 4), 5));
  return list;
}

/// Expects that clusters cover every vertex once, begin at their least vertex and respect the limits.
void expect_clusters(const WeightedGraph& graph, const Clustering& clustering, const ClusteringLimits& limits) {
  std::vector<char> covered(static_cast<std::size_t>(graph.vertices()), 0);
  ASSERT_TRUE(std::is_sorted(clustering.leaders.begin(), clustering.leaders.end()));
  for (const Vertex v : clustering.leaders) {
    std::int64_t weight = 0;
    int length = 0;
    for (Vertex u = v; u >= 0; u = clustering.next[static_cast<std::size_t>(u)]) {
      ASSERT_EQ(std::exchange(covered[static_cast<std::size_t>(u)], 1), 0);
      ASSERT_GE(u, v);
      weight += graph.weight(u);
      ++length;
    }
    ASSERT_LE(length, 1 << limits.rounds_of_pairing);
    ASSERT_TRUE(length == 1 || weight <= limits.heaviest);
  }
  EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), graph.vertices());
}

/// Compares the contracted graph with sums over all edges in a map.
void expect_contracted(const WeightedGraph& graph, const CoarseGraph& coarse) {
  std::map<std::pair<Vertex, Vertex>, std::uint32_t> expected;
  std::vector<std::int64_t> weights(static_cast<std::size_t>(coarse.graph.vertices()), 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const Vertex c = coarse.coarse_of[static_cast<std::size_t>(v)];
    weights[static_cast<std::size_t>(c)] += graph.weight(v);
    for (std::int64_t e = graph.begin(v); e < graph.end(v); ++e) {
      const Vertex d = coarse.coarse_of[static_cast<std::size_t>(graph.neighbours[static_cast<std::size_t>(e)])];
      if (c != d) expected[{c, d}] += graph.edge_weight(e);
    }
  }
  std::map<std::pair<Vertex, Vertex>, std::uint32_t> found;
  for (Vertex c = 0; c < coarse.graph.vertices(); ++c) {
    ASSERT_EQ(coarse.graph.weight(c), weights[static_cast<std::size_t>(c)]);
    for (std::int64_t e = coarse.graph.begin(c); e < coarse.graph.end(c); ++e) {
      ASSERT_TRUE(
          found.insert({{c, coarse.graph.neighbours[static_cast<std::size_t>(e)]}, coarse.graph.edge_weight(e)}).second);
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(coarse.graph.total_weight, graph.total_weight);
}

TEST(Coarsening, ClustersRespectTheirLimitsAndContractToTheirSums) {
  for (const WeightedGraph& graph : graphs()) {
    for (int rounds : {1, 2}) {
      const ClusteringLimits limits{6, rounds};
      ThreadTeam team(1);
      const Clustering clustering = cluster_vertices(graph, limits, 1, team);
      expect_clusters(graph, clustering, limits);
      expect_contracted(graph, contract(graph, clustering, team));
    }
  }
}

TEST(Coarsening, HalvesStarsChainsAndGrids) {
  ThreadTeam team(1);
  EXPECT_LT(cluster_vertices(star(1000), {100, 1}, 1, team).clusters(), 520);
  EXPECT_LT(cluster_vertices(chain(1000), {100, 1}, 1, team).clusters(), 620);
  EXPECT_LT(cluster_vertices(grid("lap2d:230"), {100, 1}, 1, team).clusters(), 230 * 230 * 6 / 10);
}

TEST(Coarsening, IsTheSameOnAnyNumberOfThreads) {
  const WeightedGraph graph = grid("lap2d:230");
  ThreadTeam one(1);
  const Clustering expected = cluster_vertices(graph, {100, 2}, 7, one);
  const CoarseGraph expected_graph = contract(graph, expected, one);
  for (int threads : {2, 3, 8}) {
    ThreadTeam team(threads);
    team.execute([&] {
      const Clustering clustering = cluster_vertices(graph, {100, 2}, 7, team);
      EXPECT_EQ(clustering.leaders, expected.leaders);
      EXPECT_EQ(clustering.next, expected.next);
      const CoarseGraph coarse = contract(graph, clustering, team);
      EXPECT_EQ(coarse.graph.neighbours, expected_graph.graph.neighbours);
      EXPECT_EQ(coarse.graph.edge_weights, expected_graph.graph.edge_weights);
    });
  }
}

}  // namespace
}  // namespace gpusupernodal::test
