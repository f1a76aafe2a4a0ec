#pragma once

/// \file
/// The first separator of a division: of several candidates the one that is the best on the finest graph.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/multilevel.hpp"
#include "solver/symbolic/dissection/node_refinement.hpp"

namespace gpusupernodal::dissection {

/// A graph and what it was coarsened to, step by step.
class Hierarchy {
 public:
  /// Coarsens until at most `target` vertices are left or a step is in vain. `graph` must outlive it.
  Hierarchy(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team, Concurrency company);

  std::size_t steps() const { return steps_.size(); }
  /// Of a level: 0 is the finest, steps() the coarsest.
  const WeightedGraph& graph(std::size_t level) const { return level == 0 ? finest_ : steps_[level - 1].graph; }
  std::uint64_t seed(std::size_t level) const { return seeds_[level]; }
  /// From a level to the next coarser one.
  const CoarseGraph& step(std::size_t level) const { return steps_[level]; }
  const WeightedGraph& coarsest() const { return graph(steps()); }

 private:
  const WeightedGraph& finest_;
  std::deque<CoarseGraph> steps_;
  std::vector<std::uint64_t> seeds_;
};

/// How long separators of a level are refined. What is gained on coarse levels is hardly seen on the finest: there it is
/// short unless there is leisure.
RefinerEffort effort_on(const Hierarchy& hierarchy, std::size_t level, bool at_leisure = false);

/// A separator on its way from the coarsest graph to the finest.
struct Candidate {
  Cut cut;                                 ///< Of the coarsest graph.
  double price = usual_price;              ///< Of imbalance, by which it is refined.
  std::vector<RefinedSeparation> refined;  ///< On each level but the coarsest, the finest first.
};

/// Cuts of the coarsest graph, some where sides may well differ and some where they hardly may; one alone where it has
/// several components, or a separator of a good part of the graph, where more would take long.
std::vector<Candidate> make_candidates(const Hierarchy& hierarchy, std::uint64_t seed, ThreadTeam& team);

/// Refines all of them up to the finest graph and returns the best there, which is refined for longer in the end. Coarse
/// graphs tell nothing of it: clusters are about as thick in all directions, so a plane looks better there than what is
/// smaller in the finest graph of a cube, a separator along a diagonal. Precondition: at least one, none with several
/// components.
Candidate best_on_finest(const Hierarchy& hierarchy, std::vector<Candidate> candidates, ThreadTeam& team);

/// The score of a separation of a whole graph that candidates are compared by: its price of imbalance is what it costs in
/// arithmetic, as that of the sides grows with the square of their weights.
SeparatorState::Score estimate(const WeightedGraph& graph, const SeparatorState& separation);

}  // namespace gpusupernodal::dissection
