#include "solver/symbolic/dissection/multilevel.hpp"

#include <algorithm>
#include <vector>

#include "solver/symbolic/dissection/clustering.hpp"

namespace gpusupernodal::dissection {
namespace {

constexpr std::int64_t grain = 16384;
/// Graphs above this size are coarsened by four at once: the levels between cost more than they bring.
constexpr Vertex coarsen_twice_above = 4000;
/// Of a graph above this size, what is left of it after two steps is cut several times and the best taken.
constexpr Vertex try_often_above = 20'000;
constexpr int tries_in_the_middle = 2;
constexpr int tries_in_a_large_middle = 4;
constexpr Vertex large_middle = 3000;
constexpr int tries_of_the_coarsest = 6;
constexpr int passes_of_the_coarsest = 16;
constexpr int passes_per_level = 12;
/// Coarsening ends where a step leaves more than this share of the vertices.
constexpr double stalled_share = 0.92;

Vertex coarsest_size(Vertex vertices) { return std::clamp(vertices / 8, 40, 100); }

/// Components of a graph, numbered by their least vertices. Cost O(edges).
void label_components(const WeightedGraph& graph, Cut& cut) {
  cut.components = 0;
  cut.component.assign(static_cast<std::size_t>(graph.vertices()), -1);
  std::vector<Vertex> open;
  for (Vertex start = 0; start < graph.vertices(); ++start) {
    if (cut.component[static_cast<std::size_t>(start)] >= 0) continue;
    cut.component[static_cast<std::size_t>(start)] = cut.components;
    open.push_back(start);
    while (!open.empty()) {
      const Vertex v = open.back();
      open.pop_back();
      for (const Vertex u : graph.of(v)) {
        Vertex& label = cut.component[static_cast<std::size_t>(u)];
        if (label >= 0) continue;
        label = cut.components;
        open.push_back(u);
      }
    }
    ++cut.components;
  }
}

/// A vertex as many edges away from `start` as any. Precondition: connected. Cost O(edges).
Vertex farthest_from(const WeightedGraph& graph, Vertex start) {
  std::vector<char> seen(static_cast<std::size_t>(graph.vertices()), 0);
  std::vector<Vertex> reached{start};
  seen[static_cast<std::size_t>(start)] = 1;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const Vertex u : graph.of(reached[k])) {
      if (seen[static_cast<std::size_t>(u)] == 0) reached.push_back(u);
      seen[static_cast<std::size_t>(u)] = 1;
    }
  }
  return reached.back();
}

std::int64_t heaviest_side(const WeightedGraph& graph) {
  return static_cast<std::int64_t>(largest_share * static_cast<double>(graph.total_weight));
}

class Multilevel {
 public:
  explicit Multilevel(ThreadTeam& team) : team_(team) {}

  /// `often`: the middle of this graph's levels is cut several times.
  Cut cut(const WeightedGraph& graph, std::uint64_t seed, int level, bool often) {
    if (often && level == 2) return best_of_several(graph, seed);
    const Vertex target = coarsest_size(graph.vertices());
    if (level == 0) coarsest_ = target;
    if (graph.vertices() > coarsest_) {
      const CoarseGraph coarse = coarsen(graph, seed_of(seed, 1));
      if (coarse.graph.vertices() < stalled_share * graph.vertices()) {
        Cut result = cut(coarse.graph, seed_of(seed, 2), level + 1, often);
        project(graph, coarse, result);
        Random random(seed_of(seed, 3));
        if (result.components == 1) SeparatorRefiner(graph, result.separation, random).refine(passes_per_level);
        return result;
      }
    }
    return cut_coarsest(graph, seed);
  }

 private:
  CoarseGraph coarsen(const WeightedGraph& graph, std::uint64_t seed) const {
    ClusteringLimits limits;
    limits.heaviest = std::max<std::int64_t>(2, 3 * graph.total_weight / (2 * coarsest_));
    limits.rounds_of_pairing = graph.vertices() > coarsen_twice_above ? 2 : 1;
    return contract(graph, cluster_vertices(graph, limits, seed, team_), team_);
  }

  Cut best_of_several(const WeightedGraph& graph, std::uint64_t seed) {
    const int tries = graph.vertices() > large_middle ? tries_in_a_large_middle : tries_in_the_middle;
    std::vector<Cut> cuts(static_cast<std::size_t>(tries));
    TaskGroup group(team_);
    for (int k = 0; k < tries; ++k) {
      group.run([&, k] {
        Multilevel once(team_);
        once.coarsest_ = coarsest_;
        cuts[static_cast<std::size_t>(k)] = once.cut(graph, seed_of(seed, static_cast<std::uint64_t>(k)), 3, false);
      });
    }
    group.wait();
    const std::int64_t heaviest = heaviest_side(graph);
    return std::move(*std::min_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
      return a.separation.score(heaviest) < b.separation.score(heaviest);
    }));
  }

  /// From the coarse graph to the one that it was made of.
  void project(const WeightedGraph& graph, const CoarseGraph& coarse, Cut& result) {
    const Vertex n = graph.vertices();
    const auto map = [&](auto& array) {
      std::remove_reference_t<decltype(array)> fine(static_cast<std::size_t>(n));
      team_.for_intervals(n, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          fine[static_cast<std::size_t>(v)] = array[static_cast<std::size_t>(coarse.coarse_of[static_cast<std::size_t>(v)])];
        }
      });
      array.swap(fine);
    };
    if (result.components > 1) {
      map(result.component);
      return;
    }
    Separation& separation = result.separation;
    map(separation.side);
    separation.separator_vertices.clear();
    for (Vertex v = 0; v < n; ++v) {
      if (separation.side[static_cast<std::size_t>(v)] == separator) separation.separator_vertices.push_back(v);
    }
  }

  static Cut cut_coarsest(const WeightedGraph& graph, std::uint64_t seed) {
    Cut result;
    label_components(graph, result);
    if (result.components > 1) return result;
    const std::int64_t heaviest = heaviest_side(graph);
    Random random(seed_of(seed, 4));
    for (int k = 0; k < tries_of_the_coarsest; ++k) {
      Separation separation;
      SeparatorRefiner refiner(graph, separation, random);
      const Vertex start = random.below(graph.vertices());
      refiner.grow_from(k % 2 == 0 ? farthest_from(graph, start) : start);
      refiner.refine(passes_of_the_coarsest);
      if (k == 0 || separation.score(heaviest) < result.separation.score(heaviest))
        result.separation = std::move(separation);
    }
    return result;
  }

  ThreadTeam& team_;
  Vertex coarsest_ = 0;
};

}  // namespace

Cut cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  return Multilevel(team).cut(graph, seed, 0, graph.vertices() >= try_often_above);
}

}  // namespace gpusupernodal::dissection
