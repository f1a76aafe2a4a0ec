#pragma once

/// \file
/// The first separator of a division: the best of several candidates, compared on the finest graph.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/multilevel.hpp"
#include "solver/symbolic/dissection/node_refinement.hpp"

namespace gpusupernodal::dissection {

/// A graph and the sequence of its coarser graphs.
class Hierarchy {
 public:
  /// Coarsens until at most `target` vertices are left or a step removes too few. Precondition: `graph` outlives the object.
  Hierarchy(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team, Concurrency concurrency);

  std::size_t steps() const { return steps_.size(); }
  /// The graph of a level: 0 is the finest, steps() the coarsest.
  const WeightedGraph& graph(std::size_t level) const { return level == 0 ? finest_ : steps_[level - 1].graph; }
  std::uint64_t seed(std::size_t level) const { return seeds_[level]; }
  /// The step from a level to the next coarser one.
  const CoarseGraph& step(std::size_t level) const { return steps_[level]; }
  const WeightedGraph& coarsest() const { return graph(steps()); }

 private:
  const WeightedGraph& finest_;
  std::deque<CoarseGraph> steps_;
  std::vector<std::uint64_t> seeds_;
};

/// The effort of refining separators on a level. Gains on coarse levels are hardly visible on the finest one, so coarse
/// levels are refined briefly unless `thoroughly`.
RefinerEffort effort_on(const Hierarchy& hierarchy, std::size_t level, bool thoroughly = false);

/// A separator that is projected from the coarsest graph to the finest and refined on the way.
struct Candidate {
  Cut cut;                                 ///< Cut of the coarsest graph.
  double price = usual_price;              ///< Price of imbalance in refinements.
  std::vector<RefinedSeparation> refined;  ///< Results on all levels except the coarsest, finest first.
};

/// Cuts the coarsest graph several times, with a low and with a high price of imbalance. Returns one candidate only if the
/// graph has several components, or if its separator is a large part of the graph, where several would take too long.
std::vector<Candidate> make_candidates(const Hierarchy& hierarchy, std::uint64_t seed, ThreadTeam& team);

/// Refines all candidates up to the finest graph and returns the best one there. Coarse graphs do not show which one that
/// is: clusters are about equally thick in all directions, so a planar separator of a cube looks better than one along a
/// diagonal, which is smaller in the finest graph. Precondition: at least one candidate, each with one component.
Candidate best_on_finest(const Hierarchy& hierarchy, std::vector<Candidate> candidates, ThreadTeam& team);

/// The score by which candidates are compared. Its price of imbalance reflects the arithmetic on the sides, which grows with
/// the square of their weights.
SeparatorState::Score estimate(const WeightedGraph& graph, const SeparatorState& separation);

}  // namespace gpusupernodal::dissection
