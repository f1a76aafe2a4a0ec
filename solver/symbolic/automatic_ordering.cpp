#include <string>
#include <utility>

#include "gpusupernodal/names.hpp"
#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Where L has fewer flops an entry than this (trees, power networks, thin or small grids), the factorization is so cheap
/// that another ordering could save little: over the test matrices dissection has about a tenth fewer flops there at best,
/// and up to twice as many. Above it neither is always better (dissection by up to eight times, minimum degree by up
/// to 1.4).
constexpr double low_fill = 50.0;

/// Up to this order minimum degree is tried first: it takes a tenth of the dissection's work. Above, its one thread would
/// take longer than the dissection on many, and it was better on no matrix but those of low fill.
constexpr std::int32_t small_order = 60'000;

struct Candidate {
  Ordering method;
  ColumnTree tree;

  double flops() const { return tree.flops(); }
  double flops_per_entry() const { return tree.flops() / static_cast<double>(tree.nonzeros()); }
};

Candidate candidate(const AdjacencyGraph& graph, Ordering method, EliminationOrder order, ThreadTeam& team) {
  return {method, build_column_tree(graph, permutation_from(std::move(order)), team)};
}

ChosenOrder take(Candidate&& candidate, std::string reason) {
  return {{}, candidate.method, std::move(reason), std::move(candidate.tree)};
}

ChosenOrder better_of(Candidate a, Candidate b) {
  if (b.flops() < a.flops()) std::swap(a, b);
  std::string reason =
      fmt::format("{:.3g} flops with {}, {:.3g} with {}", a.flops(), name_of(a.method), b.flops(), name_of(b.method));
  return take(std::move(a), std::move(reason));
}

ChosenOrder order_small(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  Candidate amd = candidate(graph, Ordering::amd, amd_order(graph), team);
  if (amd.flops_per_entry() < low_fill) {
    std::string reason = fmt::format(
        "{:.1f} flops an entry of L with amd are so few that nested_dissection could save little", amd.flops_per_entry());
    return take(std::move(amd), std::move(reason));
  }
  Candidate dissection = candidate(graph, Ordering::nested_dissection, dissection_order(graph, seed, team), team);
  return better_of(std::move(amd), std::move(dissection));
}

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal", {}};
  if (graph.order <= small_order) return order_small(graph, seed, team);
  Candidate dissection = candidate(graph, Ordering::nested_dissection, dissection_order(graph, seed, team), team);
  if (dissection.flops_per_entry() >= low_fill) {
    std::string reason = fmt::format("{} rows, {:.1f} flops an entry of L", graph.order, dissection.flops_per_entry());
    return take(std::move(dissection), std::move(reason));
  }
  Candidate amd = candidate(graph, Ordering::amd, amd_order(graph), team);
  return better_of(std::move(dissection), std::move(amd));
}

}  // namespace gpusupernodal
