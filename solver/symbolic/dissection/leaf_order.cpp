#include "solver/symbolic/dissection/leaf_order.hpp"

#include <algorithm>
#include <vector>

#include "solver/symbolic/dissection/minimum_degree.hpp"

namespace gpusupernodal::dissection {
namespace {

/// An edge from a piece to a vertex outside of it.
struct HaloEdge {
  Vertex outside;    ///< Vertex of the whole graph.
  Vertex inside;     ///< Vertex of the piece.
  std::size_t slot;  ///< Position among the piece's neighbours.
};

}  // namespace

LeafOrder::LeafOrder(const GraphView& graph)
    : graph_(graph),
      outside_(static_cast<std::size_t>(graph.vertices()), std::uint8_t{0}),
      local_(static_cast<std::size_t>(graph.vertices())) {}

void LeafOrder::set_outside(const Vertex* begin, const Vertex* end) {
  for (; begin != end; ++begin) outside_[static_cast<std::size_t>(*begin)] = 1;
}

void LeafOrder::order(const RawVector<Vertex>& piece, Vertex* order) {
  const auto inner = static_cast<Vertex>(piece.size());
  for (Vertex k = 0; k < inner; ++k) local_[static_cast<std::size_t>(piece[static_cast<std::size_t>(k)])] = k;
  WeightedGraph graph;
  graph.offsets.push_back(0);
  std::vector<HaloEdge> halo;
  const auto take = [&](Vertex v) {
    if (graph_.vertex_weights != nullptr) graph.vertex_weights.push_back(graph_.weight(v));
    graph.total_weight += graph_.weight(v);
  };
  for (Vertex k = 0; k < inner; ++k) {
    const Vertex v = piece[static_cast<std::size_t>(k)];
    take(v);
    for (const Vertex u : graph_.of(v)) {
      const bool outside = outside_[static_cast<std::size_t>(u)] != 0;
      if (outside) halo.push_back({u, k, graph.neighbours.size()});
      graph.neighbours.push_back(outside ? -1 : local_[static_cast<std::size_t>(u)]);
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  std::sort(halo.begin(), halo.end(), [](const HaloEdge& a, const HaloEdge& b) {
    return a.outside != b.outside ? a.outside < b.outside : a.slot < b.slot;
  });
  for (std::size_t i = 0; i < halo.size();) {
    const Vertex outside = halo[i].outside;
    for (; i < halo.size() && halo[i].outside == outside; ++i) {
      graph.neighbours[halo[i].slot] = static_cast<Vertex>(graph.offsets.size()) - 1;
      graph.neighbours.push_back(halo[i].inside);
    }
    take(outside);
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  const RawVector<Vertex> result = minimum_degree_order(graph, inner);
  for (const Vertex k : result) *order++ = piece[static_cast<std::size_t>(k)];
}

}  // namespace gpusupernodal::dissection
