#include "solver/symbolic/dissection/first_separator.hpp"

#include <algorithm>
#include <utility>

namespace gpusupernodal::dissection {
namespace {

/// Small graphs are refined thoroughly. In a large graph, all threads wait for the refinement of a few separators.
constexpr Vertex small = 15'000;
constexpr RefinerEffort effort_of_small{12, 10.0};
constexpr RefinerEffort effort_of_others{12, 10.0, 0.01, 60.0};
constexpr RefinerEffort effort_of_large{8, 1.0, 0.01, 60.0};
constexpr Vertex large_for_candidates = 500'000;
/// Limits for coarse graphs.
constexpr int passes_of_short = 2;
constexpr double patience_of_short = 2.0;
/// Limits for candidates on the finest graph. On a large graph, passes after the second one gain nothing.
constexpr int passes_of_candidates = 4;
constexpr int passes_of_large_candidates = 2;
constexpr double patience_of_candidates = 5.0;

/// Separators along diagonals become smaller off the middle, so most candidates get a low price of imbalance.
constexpr int tilted_candidates = 8;
constexpr double price_of_tilted = 0.3;
constexpr int even_candidates = 2;
constexpr double price_of_even = 1.5;
/// About 2 for a cube of n vertices: its separator costs n²/3 flops and affects as many again; its sides cost 2n².
constexpr double price_in_arithmetic = 2.0;

RefinerEffort effort_for(Vertex vertices) {
  if (vertices > large_for_candidates) return effort_of_large;
  return vertices > small ? effort_of_others : effort_of_small;
}

RefinerEffort shortened(RefinerEffort effort, int passes, double patience) {
  effort.passes = std::min(effort.passes, passes);
  effort.patience = std::min(effort.patience, patience);
  return effort;
}

RefinerEffort effort_of_candidate(const Hierarchy& hierarchy, std::size_t level) {
  if (level > 0) return effort_on(hierarchy, level);
  const Vertex vertices = hierarchy.graph(0).vertices();
  return shortened(effort_for(vertices), vertices > large_for_candidates ? passes_of_large_candidates : passes_of_candidates,
                   patience_of_candidates);
}

/// Projects a candidate from the next coarser level to this one and refines it.
void project_and_refine(const Hierarchy& hierarchy, std::size_t level, Candidate& candidate, ThreadTeam& team) {
  const Separation& coarse =
      level + 1 == hierarchy.steps() ? candidate.cut.separation : candidate.refined[level + 1].separation;
  RefinedSeparation& refined = candidate.refined[level];
  refined.separation.weight = coarse.weight;
  refined.separation.side = project(coarse.side, hierarchy.step(level), team);
  refined.separation.list_separator();
  const WeightedGraph& graph = hierarchy.graph(level);
  Random random(seed_of(hierarchy.seed(level), 3));
  RefinerSpace space(graph.vertices());
  SeparatorRefiner refiner(graph, refined.separation.side, refined.separation, space, random, candidate.price);
  refiner.refine(effort_of_candidate(hierarchy, level));
  refined.entered = refiner.entered();
}

}  // namespace

Hierarchy::Hierarchy(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team,
                     Concurrency concurrency)
    : finest_(graph), seeds_{seed} {
  while (coarsest().vertices() > target) {
    CoarseGraph coarse = coarsen(coarsest(), target, seed_of(seeds_.back(), 1), team, concurrency);
    if (has_stalled(coarsest(), coarse.graph)) break;
    steps_.push_back(std::move(coarse));
    seeds_.push_back(seed_of(seeds_.back(), 2));
  }
}

RefinerEffort effort_on(const Hierarchy& hierarchy, std::size_t level, bool thoroughly) {
  const RefinerEffort effort = effort_for(hierarchy.graph(level).vertices());
  return level == 0 || thoroughly ? effort : shortened(effort, passes_of_short, patience_of_short);
}

SeparatorState::Score estimate(const WeightedGraph& graph, const SeparatorState& separation) {
  return separation.score(heaviest_side(graph), price_in_arithmetic);
}

std::vector<Candidate> make_candidates(const Hierarchy& hierarchy, std::uint64_t seed, ThreadTeam& team) {
  const WeightedGraph& graph = hierarchy.coarsest();
  const auto cut = [&](int tries, double price, std::uint64_t seed_of_kind) {
    return cut_graph(graph, seed_of_kind, team, {tries, tries, Concurrency::alone, price});
  };
  std::vector<Cut> even;
  TaskGroup group(team);
  group.run([&] { even = cut(even_candidates, price_of_even, seed_of(seed, 9)); });
  std::vector<Cut> tilted = cut(tilted_candidates, price_of_tilted, seed);
  group.wait();
  std::vector<Candidate> candidates;
  for (Cut& c : tilted) candidates.push_back({std::move(c), price_of_tilted, {}});
  for (Cut& c : even) candidates.push_back({std::move(c), price_of_even, {}});
  const Cut& first = candidates.front().cut;
  if (first.components > 1 || first.separation.is_large()) {
    candidates.resize(1);
  }
  return candidates;
}

Candidate best_on_finest(const Hierarchy& hierarchy, std::vector<Candidate> candidates, ThreadTeam& team) {
  for (Candidate& candidate : candidates) candidate.refined.resize(hierarchy.steps());
  for (std::size_t level = hierarchy.steps(); level-- > 0;) {
    TaskGroup group(team);
    for (std::size_t k = 1; k < candidates.size(); ++k) {
      group.run([&, k, level] { project_and_refine(hierarchy, level, candidates[k], team); });
    }
    project_and_refine(hierarchy, level, candidates.front(), team);
    group.wait();
  }
  const WeightedGraph& finest = hierarchy.graph(0);
  const auto estimate_of = [&](const Candidate& c) {
    return estimate(finest, hierarchy.steps() == 0 ? c.cut.separation : c.refined.front().separation);
  };
  return std::move(*std::ranges::min_element(
      candidates, [&](const Candidate& a, const Candidate& b) { return estimate_of(a) < estimate_of(b); }));
}

}  // namespace gpusupernodal::dissection
