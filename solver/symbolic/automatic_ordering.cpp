#include <utility>

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

struct Fill {
  double flops = 0.0;
  double flops_per_entry = 0.0;
};

Fill fill_of(const AdjacencyGraph& graph, const EliminationOrder& order) {
  const ColumnTree tree = build_column_tree(graph, permutation_from(order));
  return {tree.flops(), tree.flops() / static_cast<double>(tree.nonzeros())};
}

ChosenOrder better_of(EliminationOrder amd, const Fill& amd_fill, EliminationOrder dissection, const Fill& dissection_fill) {
  if (dissection_fill.flops < amd_fill.flops) {
    return {std::move(dissection), Ordering::nested_dissection,
            fmt::format("{:.3g} flops with nested_dissection, {:.3g} with amd", dissection_fill.flops, amd_fill.flops)};
  }
  return {std::move(amd), Ordering::amd,
          fmt::format("{:.3g} flops with amd, {:.3g} with nested_dissection", amd_fill.flops, dissection_fill.flops)};
}

ChosenOrder order_small(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  EliminationOrder amd = amd_order(graph);
  const Fill amd_fill = fill_of(graph, amd);
  if (amd_fill.flops_per_entry < low_fill) {
    return {std::move(amd), Ordering::amd,
            fmt::format("{:.1f} flops an entry of L with amd are so few that nested_dissection could save little",
                        amd_fill.flops_per_entry)};
  }
  EliminationOrder dissection = dissection_order(graph, seed, team);
  const Fill dissection_fill = fill_of(graph, dissection);
  return better_of(std::move(amd), amd_fill, std::move(dissection), dissection_fill);
}

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph, std::uint64_t seed, ThreadTeam& team) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal"};
  if (graph.order <= small_order) return order_small(graph, seed, team);
  EliminationOrder dissection = dissection_order(graph, seed, team);
  const Fill dissection_fill = fill_of(graph, dissection);
  if (dissection_fill.flops_per_entry >= low_fill) {
    return {std::move(dissection), Ordering::nested_dissection,
            fmt::format("{} rows, {:.1f} flops an entry of L", graph.order, dissection_fill.flops_per_entry)};
  }
  EliminationOrder amd = amd_order(graph);
  const Fill amd_fill = fill_of(graph, amd);
  return better_of(std::move(amd), amd_fill, std::move(dissection), dissection_fill);
}

}  // namespace gpusupernodal
