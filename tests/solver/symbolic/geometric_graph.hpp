#pragma once

/// \file
/// Random geometric graphs.

#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/dissection/random.hpp"

namespace gpusupernodal::test {

/// Random points of the unit square, each joined to all points nearby: to `neighbours` on average, fewer near the border.
inline AdjacencyGraph geometric_graph(std::int32_t n, double neighbours, std::uint64_t seed) {
  dissection::Random random(seed);
  constexpr std::int32_t range = 1 << 30;
  std::vector<std::pair<double, double>> points(static_cast<std::size_t>(n));
  for (auto& [x, y] : points) {
    x = static_cast<double>(random.below(range)) / range;
    y = static_cast<double>(random.below(range)) / range;
  }
  AdjacencyGraph graph;
  graph.order = n;
  graph.offsets.assign(1, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      const double x = points[static_cast<std::size_t>(i)].first - points[static_cast<std::size_t>(j)].first;
      const double y = points[static_cast<std::size_t>(i)].second - points[static_cast<std::size_t>(j)].second;
      if (i != j && (x * x + y * y) * std::numbers::pi * n < neighbours) graph.neighbours.push_back(OldIndex(j));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

}  // namespace gpusupernodal::test
