#include "solver/symbolic/dissection/multilevel.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpusupernodal::dissection {
namespace {

/// Larger graphs are coarsened by a factor of four in one step: the levels in between cost more than they gain.
constexpr Vertex coarsen_twice_above = 4000;
/// The tries of a cut share the coarsening of larger graphs down to this size.
constexpr Vertex common_above = 1200;
constexpr std::size_t one_by_one_below_if_alone = 4000;
constexpr int coarsest_tries = 3;
constexpr RefinerEffort coarsest_effort{16, 1.5};
constexpr RefinerEffort effort_per_level{12, 1.5};
/// Coarsening ends if a step leaves at least this share of the vertices.
constexpr double stalled_share = 0.92;

Vertex coarsest_size(Vertex vertices) { return std::clamp(vertices / 8, 40, 100); }

/// Labels the components of a graph in the order of their lowest vertices. Cost O(edges).
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

/// The vertices of the component that has more than half of the weight; empty if no component does.
std::vector<Vertex> dominant_component(const WeightedGraph& graph, const Cut& cut) {
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

/// A vertex of maximum distance from `start` in the component of `start`. Cost O(edges).
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

/// Cuts the coarsest graph: the best of several grown and refined separators. Small components next to a dominant one stay
/// on one side of its separator.
Cut cut_coarsest(const WeightedGraph& graph, std::uint64_t seed, double price) {
  Cut result;
  label_components(graph, result);
  const std::vector<Vertex> starts = dominant_component(graph, result);
  if (starts.empty()) return result;
  result.components = 1;
  const std::int64_t heaviest = heaviest_side(graph);
  Random random(seed_of(seed, 4));
  RefinerSpace space(graph.vertices());
  for (int k = 0; k < coarsest_tries; ++k) {
    Separation separation;
    SeparatorRefiner refiner(graph, separation.side, separation, space, random, price);
    const Vertex start = starts[static_cast<std::size_t>(random.below(static_cast<Vertex>(starts.size())))];
    refiner.grow_from(k % 2 == 0 ? farthest_from(graph, start) : start);
    refiner.refine(coarsest_effort);
    if (k == 0 || separation.score(heaviest, price) < result.separation.score(heaviest, price))
      result.separation = std::move(separation);
  }
  return result;
}

class Cutter {
 public:
  Cutter(Vertex target, ThreadTeam& team, Concurrency concurrency, double price)
      : target_(target), team_(team), concurrency_(concurrency), price_(price) {}

  /// The best `kept` of `tries` cuts, best first. The tries share the first steps of coarsening.
  std::vector<Cut> cut(const WeightedGraph& graph, std::uint64_t seed, int tries, int kept) const {
    if (tries > 1 && graph.vertices() <= common_above) return best_of(graph, seed, tries, kept);
    if (graph.vertices() > target_) {
      const CoarseGraph coarse = coarsen(graph, target_, seed_of(seed, 1), team_, concurrency_);
      if (!has_stalled(graph, coarse.graph)) {
        std::vector<Cut> cuts = cut(coarse.graph, seed_of(seed, 2), tries, kept);
        TaskGroup group(team_);
        for (std::size_t k = 1; k < cuts.size(); ++k) {
          group.run([&, k] { project_and_refine(graph, coarse, seed_of(seed, k), cuts[k]); });
        }
        project_and_refine(graph, coarse, seed, cuts.front());
        group.wait();
        sort_by_score(graph, cuts);
        return cuts;
      }
    }
    if (tries > 1) return best_of(graph, seed, tries, kept);
    std::vector<Cut> single;
    single.push_back(cut_coarsest(graph, seed, price_));
    return single;
  }

 private:
  std::vector<Cut> best_of(const WeightedGraph& graph, std::uint64_t seed, int tries, int kept) const {
    std::vector<Cut> cuts(static_cast<std::size_t>(tries));
    TaskGroup group(team_);
    const auto attempt = [&](std::size_t k) {
      cuts[k] = std::move(cut(graph, k == 0 ? seed : seed_of(seed, k), 1, 1).front());
    };
    for (std::size_t k = 1; k < cuts.size(); ++k) group.run([&attempt, k] { attempt(k); });
    attempt(0);
    group.wait();
    sort_by_score(graph, cuts);
    if (cuts.front().components > 1 || cuts.front().separation.is_large()) kept = 1;
    if (tries > kept) cuts.resize(static_cast<std::size_t>(kept));
    return cuts;
  }

  void sort_by_score(const WeightedGraph& graph, std::vector<Cut>& cuts) const {
    const std::int64_t heaviest = heaviest_side(graph);
    std::ranges::stable_sort(cuts, [&](const Cut& a, const Cut& b) {
      return a.separation.score(heaviest, price_) < b.separation.score(heaviest, price_);
    });
  }

  /// Projects a cut from the coarse graph to the finer one and refines it.
  void project_and_refine(const WeightedGraph& graph, const CoarseGraph& coarse, std::uint64_t seed, Cut& cut) const {
    if (cut.components > 1) {
      cut.component = project(cut.component, coarse, team_);
      return;
    }
    cut.separation.side = project(cut.separation.side, coarse, team_);
    cut.separation.list_separator();
    Random random(seed_of(seed, 3));
    RefinerSpace space(graph.vertices());
    SeparatorRefiner(graph, cut.separation.side, cut.separation, space, random, price_).refine(effort_per_level);
  }

  Vertex target_;
  ThreadTeam& team_;
  Concurrency concurrency_;
  double price_;
};

}  // namespace

std::int64_t heaviest_side(const WeightedGraph& graph) {
  return static_cast<std::int64_t>(largest_share * static_cast<double>(graph.total_weight));
}

CoarseGraph coarsen(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team,
                    Concurrency concurrency) {
  ClusteringLimits limits;
  limits.heaviest = std::max<std::int64_t>(2, 3 * graph.total_weight / (2 * std::int64_t{target}));
  limits.rounds_of_pairing = graph.vertices() > std::max(coarsen_twice_above, 4 * target) ? 2 : 1;
  if (concurrency == Concurrency::alone) limits.one_by_one_below = one_by_one_below_if_alone;
  return contract(graph, cluster_vertices(graph, limits, seed, team), team);
}

bool has_stalled(const WeightedGraph& fine, const WeightedGraph& coarse) {
  return coarse.vertices() >= stalled_share * fine.vertices();
}

std::vector<Cut> cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options) {
  return Cutter(coarsest_size(graph.vertices()), team, options.concurrency, options.price)
      .cut(graph, seed, options.tries, options.kept);
}

Cut best_cut(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options) {
  CutOptions one = options;
  one.kept = 1;
  return std::move(cut_graph(graph, seed, team, one).front());
}

}  // namespace gpusupernodal::dissection
