#include <utility>

#include "solver/symbolic/elimination_tree.hpp"
#include "solver/symbolic/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// Minimum degree takes a tenth of the time of nested dissection, so it is always tried. Where L comes out with fewer
/// flops an entry than this (trees, power networks, thin or small grids), dissection takes longer than all it could save:
/// over the test matrices it has about a tenth fewer flops there at best, and up to twice as many. Above it neither is
/// always better (dissection by up to eight times, minimum degree by up to 1.4), so both are made and compared.
constexpr double low_fill = 50.0;

struct Fill {
  double flops = 0.0;
  double flops_per_entry = 0.0;
};

Fill fill_of(const AdjacencyGraph& graph, const EliminationOrder& order) {
  const ColumnTree tree = build_column_tree(graph, permutation_from(order));
  return {tree.flops(), tree.flops() / static_cast<double>(tree.nonzeros())};
}

}  // namespace

ChosenOrder automatic_order(const AdjacencyGraph& graph) {
  if (graph.neighbours.empty()) return {natural_order(graph.order), Ordering::natural, "the matrix is diagonal"};
  EliminationOrder amd = amd_order(graph);
  if (!metis_can_order(graph)) {
    return {std::move(amd), Ordering::amd,
            fmt::format("{} neighbours in all are more than METIS can index", graph.neighbours.size())};
  }
  const Fill amd_fill = fill_of(graph, amd);
  if (amd_fill.flops_per_entry < low_fill) {
    return {std::move(amd), Ordering::amd,
            fmt::format("{:.1f} flops an entry of L with amd are so few that metis could save little",
                        amd_fill.flops_per_entry)};
  }
  EliminationOrder metis = metis_order(graph);
  const Fill metis_fill = fill_of(graph, metis);
  if (metis_fill.flops < amd_fill.flops) {
    return {std::move(metis), Ordering::metis,
            fmt::format("{:.3g} flops with metis, {:.3g} with amd", metis_fill.flops, amd_fill.flops)};
  }
  return {std::move(amd), Ordering::amd,
          fmt::format("{:.3g} flops with amd, {:.3g} with metis", amd_fill.flops, metis_fill.flops)};
}

}  // namespace gpusupernodal
