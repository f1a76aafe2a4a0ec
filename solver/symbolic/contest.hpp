#pragma once

/// \file
/// Minimum degree against the dissection, one of which automatic takes.

#include <atomic>
#include <limits>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/least_cost.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Knows what either order costs as soon as somebody does. One thread may tell of the dissection while another asks.
class Contest {
 public:
  Contest(const AdjacencyGraph& graph, const SymbolicOptions& options);

  /// Seconds of a dissection, by the order of the graph: more threads must not change what is chosen.
  double seconds_dissecting() const { return seconds_dissecting_; }
  /// Seconds that one can be expected to save in the factorizations that follow, where minimum degree has this cost.
  double seconds_saved(const LeastCost& minimum_degree) const;

  /// What the dissection that was made costs.
  void set_dissection(const LeastCost& whole);

  /// Whether minimum degree with this cost is taken in place of that dissection.
  bool minimum_degree_wins(const LeastCost& whole) const;

  /// Whether that may still be so, where it has this cost so far.
  bool minimum_degree_may_win(const LeastCost& so_far) const;

  /// Whether it may still be taken, be the dissection made or not, which so far has this cost. Where this says no, at
  /// whatever time the dissection becomes known, the dissection would be taken after all: nothing of `so_far` exceeds what
  /// the whole order has, and both what a dissection saves and what is compared grow with all three numbers. So stopping it
  /// then changes no outcome.
  bool is_open(const LeastCost& so_far) const;

 private:
  /// Less is better: flops, or for a device seconds there or, where those are fewer, on the host.
  double measure(const LeastCost& cost) const;

  bool for_device_;
  double factorizations_;
  double seconds_dissecting_;
  std::atomic<double> dissection_{std::numeric_limits<double>::infinity()};
};

}  // namespace gpusupernodal
