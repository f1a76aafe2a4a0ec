#include "solver/symbolic/dissection/first_separator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/solver/symbolic/dissection/weighted_graphs.hpp"

namespace gpusupernodal::test {
namespace {

using dissection::best_on_finest;
using dissection::Candidate;
using dissection::Concurrency;
using dissection::estimate;
using dissection::Hierarchy;
using dissection::make_candidates;
using dissection::separator;

constexpr Vertex coarse_size = 2000;

/// Expects correct weights of the sides, and no edge between the sides.
void expect_separation(const WeightedGraph& graph, const dissection::Separation& separation) {
  std::array<std::int64_t, 3> weight{};
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const dissection::Side side = separation.side[static_cast<std::size_t>(v)];
    weight[side] += graph.weight(v);
    for (const Vertex u : graph.of(v)) {
      const dissection::Side other = separation.side[static_cast<std::size_t>(u)];
      ASSERT_TRUE(side == separator || other == separator || side == other) << v << " and " << u;
    }
  }
  EXPECT_EQ(weight, separation.weight);
}

TEST(FirstSeparator, BestOfSeveralEqualsTheBestRefinedAlone) {
  ThreadTeam team(1);
  for (const char* name : {"lap3d:24", "lap3d:30"}) {
    SCOPED_TRACE(name);
    const WeightedGraph graph = grid(name);
    const Hierarchy hierarchy(graph, coarse_size, 1, team, Concurrency::alone);
    ASSERT_GT(hierarchy.steps(), 0U);
    std::vector<dissection::SeparatorState::Score> alone;
    for (std::size_t k = 0; k < make_candidates(hierarchy, 5, team).size(); ++k) {
      std::vector<Candidate> one;
      one.push_back(std::move(make_candidates(hierarchy, 5, team)[k]));
      const Candidate refined = best_on_finest(hierarchy, std::move(one), team);
      expect_separation(graph, refined.refined.front().separation);
      alone.push_back(estimate(graph, refined.refined.front().separation));
    }
    ASSERT_GT(alone.size(), 1U);
    EXPECT_LT(*std::ranges::min_element(alone), *std::ranges::max_element(alone)) << "candidates differ";
    const Candidate best = best_on_finest(hierarchy, make_candidates(hierarchy, 5, team), team);
    EXPECT_EQ(estimate(graph, best.refined.front().separation), *std::ranges::min_element(alone));
  }
}

TEST(FirstSeparator, IsTheSameOnAnyNumberOfThreads) {
  const WeightedGraph graph = grid("lap3d:32");
  const auto separation = [&](ThreadTeam& team) {
    RawVector<dissection::Side> side;
    team.execute([&] {
      const Hierarchy hierarchy(graph, coarse_size, 3, team, Concurrency::alone);
      side = best_on_finest(hierarchy, make_candidates(hierarchy, 7, team), team).refined.front().separation.side;
    });
    return side;
  };
  ThreadTeam one(1);
  const auto expected = separation(one);
  for (int threads : {2, 5}) {
    ThreadTeam team(threads);
    EXPECT_EQ(separation(team), expected) << threads << " threads";
  }
}

/// A plane through an N³ cube has N² vertices, a separator along a diagonal has 3/4 of that.
TEST(FirstSeparator, LiesAlongADiagonalOfACube) {
  ThreadTeam team(1);
  const WeightedGraph graph = grid("lap3d:40");
  int along_diagonals = 0;
  for (std::uint64_t seed : {0, 1, 2}) {
    const Hierarchy hierarchy(graph, 16'000, seed, team, Concurrency::alone);
    const Candidate best = best_on_finest(hierarchy, make_candidates(hierarchy, seed, team), team);
    along_diagonals += 100 * best.refined.front().separation.weight[separator] < 85 * 40 * 40 ? 1 : 0;
  }
  EXPECT_GE(along_diagonals, 2);
}

TEST(FirstSeparator, LargeGraphsHaveOneCandidate) {
  ThreadTeam team(1);
  const WeightedGraph graph = random_graph(6000, 40'000, 4);
  const Hierarchy hierarchy(graph, coarse_size, 1, team, Concurrency::alone);
  EXPECT_EQ(make_candidates(hierarchy, 5, team).size(), 1U);
}

TEST(FirstSeparator, FindsComponentsOnce) {
  ThreadTeam team(1);
  std::set<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 0; v + 3 < 9000; ++v) edges.insert({v, v + 3});
  const WeightedGraph graph = graph_of_edges(9000, edges);
  const Hierarchy hierarchy(graph, coarse_size, 1, team, Concurrency::alone);
  const std::vector<Candidate> candidates = make_candidates(hierarchy, 5, team);
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_EQ(candidates.front().cut.components, 3);
}

}  // namespace
}  // namespace gpusupernodal::test
