#include "solver/symbolic/bit_graph.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace gpusupernodal::test {
namespace {

using Sets = std::vector<std::set<std::int32_t>>;

/// Textbook minimum degree: eliminates the lowest-numbered vertex of those with the fewest neighbours and joins its
/// neighbours.
std::vector<std::int32_t> order_of(Sets neighbours) {
  std::vector<std::int32_t> order;
  std::set<std::int32_t> left;
  for (std::size_t v = 0; v < neighbours.size(); ++v) left.insert(static_cast<std::int32_t>(v));
  const auto of = [&](std::int32_t v) -> std::set<std::int32_t>& { return neighbours[static_cast<std::size_t>(v)]; };
  while (!left.empty()) {
    std::int32_t best = *left.begin();
    for (const std::int32_t v : left) best = of(v).size() < of(best).size() ? v : best;
    for (const std::int32_t u : of(best)) {
      of(u).insert(of(best).begin(), of(best).end());
      of(u).erase(u);
      of(u).erase(best);
    }
    left.erase(best);
    order.push_back(best);
  }
  return order;
}

template <std::size_t words>
void expect_minimum_degree(std::int32_t vertices, std::int32_t edges, std::uint32_t seed) {
  std::mt19937 generator(seed);
  Sets sets(static_cast<std::size_t>(vertices));
  BitGraph<words> graph(vertices);
  for (std::int32_t e = 0; e < edges; ++e) {
    const auto a = static_cast<std::int32_t>(generator() % static_cast<std::uint32_t>(vertices));
    const auto b = static_cast<std::int32_t>(generator() % static_cast<std::uint32_t>(vertices));
    if (a == b) continue;
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      graph.add(from, to);
      sets[static_cast<std::size_t>(from)].insert(to);
    }
  }
  EXPECT_EQ(graph.minimum_degree_order(), order_of(sets)) << vertices << " vertices, " << edges << " edges";
}

TEST(BitGraph, OrdersByMinimumDegree) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    for (const std::int32_t vertices : {1, 2, 63, 64, 65, 127, 128}) {
      expect_minimum_degree<2>(vertices, 2 * vertices, seed);
      expect_minimum_degree<4>(vertices, 2 * vertices, seed);
    }
  }
  for (const std::int32_t vertices : {129, 255, 256}) expect_minimum_degree<4>(vertices, 2 * vertices, 1);
}

TEST(BitGraph, FullGraphsKeepTheirOrder) {
  expect_minimum_degree<2>(128, 100'000, 1);
  expect_minimum_degree<4>(256, 400'000, 1);
}

}  // namespace
}  // namespace gpusupernodal::test
