#pragma once

/// \file
/// The comparison of minimum degree with nested dissection by which Ordering::automatic chooses.

#include <atomic>
#include <limits>

#include "solver/symbolic/adjacency.hpp"
#include "solver/symbolic/cost_bound.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Compares the costs of the two orders as they become known. One thread may call set_dissection() while another one calls
/// the predicates.
class OrderingComparison {
 public:
  OrderingComparison(const AdjacencyGraph& graph, const SymbolicOptions& options);

  /// Estimated seconds of a nested dissection. Depends on the order of the graph only, so that the choice does not depend on
  /// the number of threads.
  double seconds_dissecting() const { return seconds_dissecting_; }
  /// Seconds that a nested dissection is expected to save over all factorizations, given the cost of minimum degree.
  double seconds_saved(const CostBound& minimum_degree) const;

  /// Records the cost of the finished nested dissection.
  void set_dissection(const CostBound& whole);

  /// Whether a finished minimum-degree order of this cost is preferred to the dissection; true if no dissection is recorded.
  bool minimum_degree_wins(const CostBound& whole) const;

  /// Whether an unfinished minimum-degree order with this lower bound on its cost can still be preferred to the dissection.
  bool minimum_degree_may_win(const CostBound& so_far) const;

  /// Whether minimum degree with this lower bound can still be chosen, whether or not the dissection is known yet. Once this
  /// returns false, the dissection is chosen whenever it becomes known: the final cost is at least `so_far`, and both the
  /// expected saving and the compared measure grow with all three numbers. Minimum degree may then be stopped.
  bool is_open(const CostBound& so_far) const;

 private:
  /// The measure to minimize: flops; for a device the estimated seconds there or, if the host may be chosen, on the host,
  /// whichever is less.
  double measure(const CostBound& cost) const;

  bool for_device_;
  bool allow_host_;
  double factorizations_;
  double seconds_dissecting_;
  std::atomic<double> dissection_{std::numeric_limits<double>::infinity()};
};

}  // namespace gpusupernodal
