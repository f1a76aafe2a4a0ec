#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "gpusupernodal/names.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Where L has fewer flops an entry than this (trees, power networks, thin or small grids), the factorization is so cheap
/// that minimum degree is tried too: over the test matrices dissection has about a tenth fewer flops there at best, and up
/// to twice as many. Above it neither is always better (dissection by up to eight times, minimum degree by up to 1.4).
constexpr double low_fill = 50.0;

/// Up to this order minimum degree is tried first: it takes a tenth of the dissection's work. Above, its one thread would
/// take longer than the dissection on many, and it was better on no matrix but those of low fill.
constexpr std::int32_t small_order = 60'000;

// What the choice between them is made by, in seconds of one thread for an ordering (more threads must not change it) and of
// some or of a small device for a factorization.
constexpr double dissection_seconds_per_row = 5e-6;
constexpr double seconds_per_flop = 1e-11;
constexpr double seconds_per_entry = 2e-9;
// The same of a large device, whose time for small matrices is that of columns that follow each other: about those of the
// cost model (plan/cost_model.hpp) for a factorization and a solve.
constexpr double device_seconds_per_flop = 1.0 / 48e12;
constexpr double device_seconds_per_entry = 16.0 / 2.7e12;
constexpr double device_seconds_per_column = 7.7e-7;

/// The share of a factorization by minimum degree that dissection can be expected to save.
constexpr double expected_saving = 0.35;

/// From so many factorizations on, dissections of several seeds are compared: their flops differ by a tenth, on cubes by up
/// to 1.9 times.
constexpr std::int32_t many_factorizations = 1000;
constexpr std::uint64_t seeds_of_many = 4;

struct Candidate {
  Ordering method;
  ColumnTree tree;

  double flops() const { return tree.flops(); }
  double seconds() const {
    return tree.flops() * seconds_per_flop + static_cast<double>(tree.nonzeros()) * seconds_per_entry;
  }
  double flops_per_entry() const { return tree.flops() / static_cast<double>(tree.nonzeros()); }
};

Candidate candidate(const AdjacencyGraph& graph, Ordering method, EliminationOrder order, ThreadTeam& team) {
  return {method, build_column_tree(graph, permutation_from(std::move(order), team), team)};
}

ChosenOrder take(Candidate&& candidate, std::string reason) {
  return {{}, candidate.method, std::move(reason), std::move(candidate.tree)};
}

/// There, or on the host where that is faster.
double seconds_with_device(const Candidate& c) {
  const double on_device = c.flops() * device_seconds_per_flop +
                           static_cast<double>(c.tree.nonzeros()) * device_seconds_per_entry +
                           static_cast<double>(c.tree.height()) * device_seconds_per_column;
  return std::min(on_device, c.seconds());
}

ChosenOrder better_with_device(Candidate a, Candidate b) {
  if (seconds_with_device(b) < seconds_with_device(a)) std::swap(a, b);
  std::string reason = fmt::format("{:.3g} flops with {}, {} columns on the longest path; {:.3g} with {}, {}", a.flops(),
                                   name_of(a.method), a.tree.height(), b.flops(), name_of(b.method), b.tree.height());
  return take(std::move(a), std::move(reason));
}

ChosenOrder better_of(Candidate a, Candidate b, const SymbolicOptions& options) {
  if (options.for_device) return better_with_device(std::move(a), std::move(b));
  if (b.flops() < a.flops()) std::swap(a, b);
  std::string reason =
      fmt::format("{:.3g} flops with {}, {:.3g} with {}", a.flops(), name_of(a.method), b.flops(), name_of(b.method));
  return take(std::move(a), std::move(reason));
}

/// The dissection, or the one of fewest flops of several where many factorizations follow.
Candidate dissect(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                  const std::atomic<bool>* stop = nullptr) {
  const auto with_seed = [&](std::uint64_t seed) {
    EliminationOrder order = dissection_order(graph, seed, team, stop);
    if (stop != nullptr && *stop) return Candidate{Ordering::nested_dissection, {}};
    return candidate(graph, Ordering::nested_dissection, std::move(order), team);
  };
  Candidate best = with_seed(options.seed);
  if (options.expected_factorizations < many_factorizations) return best;
  for (std::uint64_t more = 1; more < seeds_of_many; ++more) {
    Candidate other = with_seed(options.seed + more);
    if (other.flops() < best.flops()) best = std::move(other);
  }
  return best;
}

/// Neighbours of v that the natural order eliminates after it.
std::span<const OldIndex> later_neighbours(const AdjacencyGraph& graph, OldIndex v) {
  const auto all = graph.of(v);
  return all.subspan(static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), v) - all.begin()));
}

/// Whether all of `some` are in `all`, both ascending. Cost O(|some| log |all|), and no more than walking both.
bool contains(std::span<const OldIndex> all, std::span<const OldIndex> some) {
  constexpr std::size_t much_longer = 8;
  if (all.size() <= much_longer * some.size()) return std::includes(all.begin(), all.end(), some.begin(), some.end());
  return std::all_of(some.begin(), some.end(), [&](OldIndex v) { return std::binary_search(all.begin(), all.end(), v); });
}

/// Whether L in the natural order has the entries of A alone, as of tridiagonal matrices, full bands, trees numbered from
/// the leaves: where the later neighbours of each vertex but the first are later neighbours of that [RTL76]. Most other
/// graphs show at their first vertices that they are none of these.
bool natural_order_has_no_fill(const AdjacencyGraph& graph) {
  for (std::int32_t i = 0; i < graph.order; ++i) {
    const auto later = later_neighbours(graph, OldIndex(i));
    if (later.size() < 2) continue;
    if (!contains(later_neighbours(graph, later.front()), later.subspan(1))) return false;
  }
  return true;
}

/// Minimum degree first, and the dissection where it can save more than it takes. With threads to spare it is begun beside,
/// and broken off where it is of no use.
ChosenOrder order_small(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team) {
  std::atomic<bool> stop{false};
  std::optional<Candidate> dissection;
  TaskGroup beside(team);
  const bool at_once = team.threads() > 1 && options.expected_factorizations > 1;
  if (at_once) beside.run([&] { dissection = dissect(graph, options, team, &stop); });
  Candidate amd = candidate(graph, Ordering::amd, amd_order(graph), team);
  const double saved = expected_saving * options.expected_factorizations * amd.seconds();
  const double taken = dissection_seconds_per_row * graph.order;
  if (saved < taken) {
    stop = true;
    beside.wait();
    std::string reason =
        fmt::format("nested_dissection would take about {:.2g} s and save {:.2g} in {} factorizations of {:.2g} flops",
                    taken, saved, options.expected_factorizations, amd.flops());
    return take(std::move(amd), std::move(reason));
  }
  beside.wait();
  if (!dissection) dissection = dissect(graph, options, team);
  return better_of(std::move(amd), std::move(*dissection), options);
}

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal", {}};
  if (graph.order <= small_order && natural_order_has_no_fill(graph))
    return {natural_order(graph.order), Ordering::natural, "the natural order has no fill", {}};
  if (graph.order <= small_order || options.expected_factorizations == 1) return order_small(graph, options, team);
  Candidate dissection = dissect(graph, options, team);
  const double flops_per_entry = dissection.flops_per_entry();
  if (flops_per_entry >= low_fill) {
    std::string reason = fmt::format("{} rows, {:.1f} flops an entry of L", graph.order, flops_per_entry);
    return take(std::move(dissection), std::move(reason));
  }
  Candidate amd = candidate(graph, Ordering::amd, amd_order(graph), team);
  return better_of(std::move(dissection), std::move(amd), options);
}

}  // namespace gpusupernodal
