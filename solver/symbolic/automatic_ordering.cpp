#include <utility>

#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Up to this order both are computed, which takes milliseconds, and the one with fewer flops is taken.
constexpr std::int32_t compare_up_to = 5000;

double flops_of(const AdjacencyGraph& graph, const EliminationOrder& order) {
  return build_column_tree(graph, permutation_from(order)).flops();
}

ChosenOrder better_of_both(const AdjacencyGraph& graph) {
  EliminationOrder amd = amd_order(graph);
  EliminationOrder metis = metis_order(graph);
  const double amd_flops = flops_of(graph, amd);
  const double metis_flops = flops_of(graph, metis);
  if (metis_flops < amd_flops) {
    return {std::move(metis), Ordering::metis, fmt::format("{:.3g} flops against {:.3g} with amd", metis_flops, amd_flops)};
  }
  return {std::move(amd), Ordering::amd, fmt::format("{:.3g} flops against {:.3g} with metis", amd_flops, metis_flops)};
}

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal"};
  if (!metis_can_order(graph)) {
    return {amd_order(graph), Ordering::amd,
            fmt::format("{} neighbours are more than METIS can index", graph.neighbours.size())};
  }
  if (graph.order <= compare_up_to) return better_of_both(graph);
  return {metis_order(graph), Ordering::metis, fmt::format("order {} is more than {}", graph.order, compare_up_to)};
}

}  // namespace gpusupernodal
