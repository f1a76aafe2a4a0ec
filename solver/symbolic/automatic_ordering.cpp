#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/common/fail.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/ordering.hpp"
#include "solver/symbolic/ordering_comparison.hpp"

namespace gpusupernodal {
namespace {

/// Below this number of flops per entry of L (trees, power networks, thin or small grids), the factorization is so cheap
/// that minimum degree is tried too. On the test matrices dissection needs at best a tenth fewer flops there, and at worst
/// twice as many. Above it either may be better: dissection by a factor of up to eight, minimum degree by up to 1.4.
constexpr double low_fill = 50.0;

/// Up to this order minimum degree is tried first: it takes a tenth of the dissection's work. For larger graphs, its single
/// thread would take longer than the dissection on many threads, and it was better only on matrices of low fill.
constexpr std::int32_t small_order = 60'000;
/// Graphs with more than `tiny_order` vertices and at least `many_neighbours` neighbours per vertex are dissected first,
/// too: the dissection was better on all of them, by a factor of 1.05 to 4.2. Minimum degree took up to half its time, and
/// half as much memory in addition.
constexpr std::int32_t tiny_order = 4000;
constexpr std::int64_t many_neighbours = 20;

bool tries_minimum_degree_first(const AdjacencyGraph& graph, std::int32_t expected_factorizations) {
  if (expected_factorizations == 1 || graph.order <= tiny_order) return true;
  return graph.order <= small_order && static_cast<std::int64_t>(graph.neighbours.size()) < many_neighbours * graph.order;
}

/// From this number of factorizations on, dissections with several seeds are compared. Their flops differ by a tenth, on
/// cubes by a factor of up to 1.9.
constexpr std::int32_t many_factorizations = 1000;
constexpr std::uint64_t seeds_of_many = 4;

struct Candidate {
  Ordering method;
  ColumnTree tree;

  double flops() const { return tree.flops(); }
  CostBound cost() const { return {tree.flops(), static_cast<double>(tree.nonzeros()), static_cast<double>(tree.height())}; }
  double flops_per_entry() const { return tree.flops() / static_cast<double>(tree.nonzeros()); }
};

Candidate candidate(const AdjacencyGraph& graph, Ordering method, EliminationOrder order, ThreadTeam& team) {
  return {method, build_column_tree(graph, permutation_from(std::move(order), team), team)};
}

ChosenOrder take(Candidate&& candidate, std::string reason) {
  return {{}, candidate.method, std::move(reason), std::move(candidate.tree)};
}

/// Minimum degree; nullopt if `keep_going` stopped it.
std::optional<Candidate> minimum_degree(const AdjacencyGraph& graph, const ContinueOrdering& keep_going, ThreadTeam& team) {
  EliminationOrder order = amd_order(graph, keep_going);
  if (order.empty()) return std::nullopt;
  return candidate(graph, Ordering::amd, std::move(order), team);
}

std::string describe(const Candidate& c, bool for_device) {
  std::string text = fmt::format("{:.3g} flops with {}", c.flops(), name_of(c.method));
  if (for_device) text += fmt::format(", {} columns on the longest path", c.tree.height());
  return text;
}

/// Chooses the better order. If minimum degree loses, the reason does not state its cost, because the point at which it was
/// stopped depends on the timing of threads.
ChosenOrder better_of(std::optional<Candidate> amd, Candidate dissection, const OrderingComparison& comparison,
                      bool for_device) {
  if (!amd || !comparison.minimum_degree_wins(amd->cost())) {
    std::string reason = describe(dissection, for_device) + "; amd found no better";
    return take(std::move(dissection), std::move(reason));
  }
  std::string reason = describe(*amd, for_device) + "; " + describe(dissection, for_device);
  return take(std::move(*amd), std::move(reason));
}

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && *flag; }

/// Nested dissection. If many factorizations are expected, the dissection with the fewest flops of several seeds. Throws
/// Cancelled if `*cancel` is true.
Candidate dissect(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                  const std::atomic<bool>* cancel, const std::atomic<bool>* stop = nullptr) {
  const auto with_seed = [&](std::uint64_t seed) {
    EliminationOrder order = dissection_order(graph, seed, team, stop, cancel);
    if (is_set(cancel)) fail<Cancelled>("analyze was cancelled in the step '{}'", "ordering");
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

/// Neighbours of v that the natural order eliminates after v.
std::span<const OldIndex> later_neighbours(const AdjacencyGraph& graph, OldIndex v) {
  const auto all = graph.of(v);
  return all.subspan(static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), v) - all.begin()));
}

/// Whether `all` contains all of `some`. Precondition: both ascend. Cost O(min(|some| log |all|, |some| + |all|)).
bool contains(std::span<const OldIndex> all, std::span<const OldIndex> some) {
  constexpr std::size_t much_longer = 8;
  if (all.size() <= much_longer * some.size()) return std::includes(all.begin(), all.end(), some.begin(), some.end());
  return std::all_of(some.begin(), some.end(), [&](OldIndex v) { return std::binary_search(all.begin(), all.end(), v); });
}

/// Whether the natural order has no fill, as for tridiagonal matrices, full bands, and trees numbered from the leaves. That
/// holds if for each vertex, its later neighbours except the first one are later neighbours of that first one [RTL76]. For
/// most other graphs the test fails at one of the first vertices.
bool natural_order_has_no_fill(const AdjacencyGraph& graph) {
  for (std::int32_t i = 0; i < graph.order; ++i) {
    const auto later = later_neighbours(graph, OldIndex(i));
    if (later.size() < 2) continue;
    if (!contains(later_neighbours(graph, later.front()), later.subspan(1))) return false;
  }
  return true;
}

/// Computes both orders as far as the choice requires.
class BothOrders {
 public:
  BothOrders(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team, const std::atomic<bool>* cancel)
      : graph_(graph), options_(options), team_(team), cancel_(cancel), comparison_(graph, options), background_(team) {}

  /// Computes minimum degree first, and the dissection if it can save more time than it takes. With several threads and
  /// graphs large enough to be worth it, both run concurrently: the dissection is stopped once it cannot pay off, minimum
  /// degree once it cannot win.
  ChosenOrder run() {
    if (team_.threads() > 1 && options_.expected_factorizations > 1 && graph_.order >= rows_side_by_side) {
      make_both();
    } else {
      amd_ = minimum_degree_while_open();
      if (!dissection_cannot_pay()) set_dissection(dissect(graph_, options_, team_, cancel_));
    }
    if (!dissection_cannot_pay())
      return better_of(std::move(amd_), std::move(*dissection_), comparison_, options_.for_device);
    std::string reason =
        fmt::format("nested_dissection would take about {:.2g} s and save {:.2g} in {} factorizations of {:.2g} flops",
                    comparison_.seconds_dissecting(), comparison_.seconds_saved(amd_->cost()),
                    options_.expected_factorizations, amd_->flops());
    return take(std::move(*amd_), std::move(reason));
  }

 private:
  /// On smaller graphs minimum degree takes 1 to 3 ms, as long as the first separator of a dissection.
  static constexpr std::int32_t rows_side_by_side = 8000;

  void make_both() {
    background_.run([this] {
      amd_ = minimum_degree_while_open();
      if (dissection_cannot_pay()) stop_ = true;
    });
    Candidate dissection = dissect(graph_, options_, team_, cancel_, &stop_);
    if (!stop_) set_dissection(std::move(dissection));
    background_.wait();
  }

  std::optional<Candidate> minimum_degree_while_open() {
    return minimum_degree(
        graph_, [this](const CostBound& so_far) { return !is_set(cancel_) && comparison_.is_open(so_far); }, team_);
  }

  bool dissection_cannot_pay() const {
    return amd_ && comparison_.seconds_saved(amd_->cost()) < comparison_.seconds_dissecting();
  }

  void set_dissection(Candidate&& dissection) {
    comparison_.set_dissection(dissection.cost());
    dissection_ = std::move(dissection);
  }

  const AdjacencyGraph& graph_;
  const SymbolicOptions& options_;
  ThreadTeam& team_;
  const std::atomic<bool>* cancel_;
  OrderingComparison comparison_;
  std::atomic<bool> stop_{false};
  std::optional<Candidate> amd_;
  std::optional<Candidate> dissection_;
  TaskGroup background_;  ///< Last member: its destructor waits for the task that uses the others.
};

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph, const SymbolicOptions& options, ThreadTeam& team,
                            const std::atomic<bool>* cancel) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal", {}};
  if (graph.order <= small_order && natural_order_has_no_fill(graph))
    return {natural_order(graph.order), Ordering::natural, "the natural order has no fill", {}};
  if (tries_minimum_degree_first(graph, options.expected_factorizations))
    return BothOrders(graph, options, team, cancel).run();
  Candidate dissection = dissect(graph, options, team, cancel);
  const double flops_per_entry = dissection.flops_per_entry();
  if (flops_per_entry >= low_fill) {
    std::string reason = fmt::format("{} rows, {:.1f} flops per entry of L", graph.order, flops_per_entry);
    return take(std::move(dissection), std::move(reason));
  }
  OrderingComparison comparison(graph, options);
  comparison.set_dissection(dissection.cost());
  const auto may_win = [&](const CostBound& so_far) { return !is_set(cancel) && comparison.minimum_degree_may_win(so_far); };
  return better_of(minimum_degree(graph, may_win, team), std::move(dissection), comparison, options.for_device);
}

}  // namespace gpusupernodal
