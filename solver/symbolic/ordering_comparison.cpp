#include "solver/symbolic/ordering_comparison.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

// Figures for the choice: an ordering on one thread, a factorization on a few threads or on a small device.
constexpr double dissection_seconds_per_row = 5e-6;
constexpr double seconds_per_flop = 1e-11;
constexpr double seconds_per_entry = 2e-9;
// Figures of a large device, on which small matrices are bound by the longest path of columns. They are the cost model's
// (solver/model/cost_figures.hpp) fit to an NVIDIA H200 as of commit b101462. Later fits attribute less to columns and more
// to launches, but the number of launches is known only with a plan, so the earlier figures stay here.
constexpr double device_seconds_per_flop = 1.0 / 48e12;
constexpr double device_seconds_per_entry = 16.0 / 2.7e12;
constexpr double device_seconds_per_column = 7.7e-7;

/// The share of the factorization time with minimum degree that dissection is expected to save.
constexpr double expected_saving = 0.35;

/// A bound on the relative rounding error of the sums.
constexpr double rounding = 1.0 + 1e-6;

double device_seconds(const CostBound& cost) {
  return cost.flops * device_seconds_per_flop + cost.nonzeros * device_seconds_per_entry +
         cost.height * device_seconds_per_column;
}

double host_seconds(const CostBound& cost) { return cost.flops * seconds_per_flop + cost.nonzeros * seconds_per_entry; }

}  // namespace

OrderingComparison::OrderingComparison(const AdjacencyGraph& graph, const SymbolicOptions& options)
    : for_device_(options.for_device),
      allow_host_(options.allow_host),
      factorizations_(options.expected_factorizations),
      seconds_dissecting_(dissection_seconds_per_row * graph.order) {}

double OrderingComparison::seconds_saved(const CostBound& minimum_degree) const {
  // On a device that was requested, a tall tree takes longer than its flops do on the host.
  const double path = for_device_ && !allow_host_ ? device_seconds(minimum_degree) : 0.0;
  return expected_saving * factorizations_ * std::max(host_seconds(minimum_degree), path);
}

void OrderingComparison::set_dissection(const CostBound& whole) { dissection_ = measure(whole); }

bool OrderingComparison::minimum_degree_wins(const CostBound& whole) const { return measure(whole) <= dissection_; }

bool OrderingComparison::minimum_degree_may_win(const CostBound& so_far) const {
  return measure(so_far) <= dissection_ * rounding;
}

bool OrderingComparison::is_open(const CostBound& so_far) const {
  const bool dissection_is_tried = seconds_saved(so_far) > seconds_dissecting_ * rounding;
  return !dissection_is_tried || minimum_degree_may_win(so_far);
}

double OrderingComparison::measure(const CostBound& cost) const {
  if (!for_device_) return cost.flops;
  return allow_host_ ? std::min(device_seconds(cost), host_seconds(cost)) : device_seconds(cost);
}

}  // namespace gpusupernodal
