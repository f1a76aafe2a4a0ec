#include "solver/symbolic/dissection/multilevel.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpusupernodal::dissection {
namespace {

/// Graphs above this size are coarsened by four at once: the levels between cost more than they bring.
constexpr Vertex coarsen_twice_above = 4000;
/// Larger graphs are coarsened once for all tries of a cut.
constexpr Vertex common_above = 1200;
constexpr std::size_t one_by_one_below_if_alone = 4000;
constexpr int tries_of_the_coarsest = 3;
constexpr RefinerEffort effort_of_the_coarsest{16, 1.5};
constexpr RefinerEffort effort_per_level{12, 1.5};
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

/// The vertices of the component that has more than half of the weight; empty where none has.
std::vector<Vertex> ruling_component(const WeightedGraph& graph, const Cut& cut) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(cut.components), 0);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    weight[static_cast<std::size_t>(cut.component[static_cast<std::size_t>(v)])] += graph.weight(v);
  }
  std::vector<Vertex> vertices;
  const auto heaviest = std::max_element(weight.begin(), weight.end());
  if (2 * *heaviest <= graph.total_weight) return vertices;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (cut.component[static_cast<std::size_t>(v)] == heaviest - weight.begin()) vertices.push_back(v);
  }
  return vertices;
}

/// A vertex as many edges away from `start` as any of its component. Cost O(edges).
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

/// Small components beside a larger one stay on one side of its separator.
Cut cut_coarsest(const WeightedGraph& graph, std::uint64_t seed) {
  Cut result;
  label_components(graph, result);
  const std::vector<Vertex> starts = ruling_component(graph, result);
  if (starts.empty()) return result;
  result.components = 1;
  const std::int64_t heaviest = heaviest_side(graph);
  Random random(seed_of(seed, 4));
  RefinerSpace space(graph.vertices());
  for (int k = 0; k < tries_of_the_coarsest; ++k) {
    Separation separation;
    SeparatorRefiner refiner(graph, separation.side, separation, space, random);
    const Vertex start = starts[static_cast<std::size_t>(random.below(static_cast<Vertex>(starts.size())))];
    refiner.grow_from(k % 2 == 0 ? farthest_from(graph, start) : start);
    refiner.refine(effort_of_the_coarsest);
    if (k == 0 || separation.score(heaviest) < result.separation.score(heaviest)) result.separation = std::move(separation);
  }
  return result;
}

void list_separator(Separation& separation) {
  separation.separator_vertices.clear();
  for (std::size_t v = 0; v < separation.side.size(); ++v) {
    if (separation.side[v] == separator) separation.separator_vertices.push_back(static_cast<Vertex>(v));
  }
}

class Cutter {
 public:
  Cutter(Vertex target, ThreadTeam& team, Company company) : target_(target), team_(team), company_(company) {}

  /// The best of `tries`, which have the first steps of coarsening in common.
  Cut cut(const WeightedGraph& graph, std::uint64_t seed, int tries) const {
    if (tries > 1 && graph.vertices() <= common_above) return best_of(graph, seed, tries);
    if (graph.vertices() > target_) {
      const CoarseGraph coarse = coarsen(graph, target_, seed_of(seed, 1), team_, company_);
      if (!has_stalled(graph, coarse.graph)) {
        Cut result = cut(coarse.graph, seed_of(seed, 2), tries);
        bring_up(graph, coarse, seed, result);
        return result;
      }
    }
    return tries > 1 ? best_of(graph, seed, tries) : cut_coarsest(graph, seed);
  }

 private:
  Cut best_of(const WeightedGraph& graph, std::uint64_t seed, int tries) const {
    std::vector<Cut> cuts(static_cast<std::size_t>(tries));
    TaskGroup group(team_);
    for (int k = 1; k < tries; ++k) {
      group.run([&, k] { cuts[static_cast<std::size_t>(k)] = cut(graph, seed_of(seed, static_cast<std::uint64_t>(k)), 1); });
    }
    cuts.front() = cut(graph, seed, 1);
    group.wait();
    const std::int64_t heaviest = heaviest_side(graph);
    return std::move(*std::min_element(cuts.begin(), cuts.end(), [&](const Cut& a, const Cut& b) {
      return a.separation.score(heaviest) < b.separation.score(heaviest);
    }));
  }

  /// From the coarse graph to the one that it was made of.
  void bring_up(const WeightedGraph& graph, const CoarseGraph& coarse, std::uint64_t seed, Cut& cut) const {
    if (cut.components > 1) {
      cut.component = project(cut.component, coarse, team_);
      return;
    }
    cut.separation.side = project(cut.separation.side, coarse, team_);
    list_separator(cut.separation);
    Random random(seed_of(seed, 3));
    RefinerSpace space(graph.vertices());
    SeparatorRefiner(graph, cut.separation.side, cut.separation, space, random).refine(effort_per_level);
  }

  Vertex target_;
  ThreadTeam& team_;
  Company company_;
};

}  // namespace

CoarseGraph coarsen(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team, Company company) {
  ClusteringLimits limits;
  limits.heaviest = std::max<std::int64_t>(2, 3 * graph.total_weight / (2 * std::int64_t{target}));
  limits.rounds_of_pairing = graph.vertices() > std::max(coarsen_twice_above, 4 * target) ? 2 : 1;
  if (company == Company::alone) limits.one_by_one_below = one_by_one_below_if_alone;
  return contract(graph, cluster_vertices(graph, limits, seed, team), team);
}

bool has_stalled(const WeightedGraph& fine, const WeightedGraph& coarse) {
  return coarse.vertices() >= stalled_share * fine.vertices();
}

Cut cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, int tries, Company company) {
  return Cutter(coarsest_size(graph.vertices()), team, company).cut(graph, seed, tries);
}

}  // namespace gpusupernodal::dissection
