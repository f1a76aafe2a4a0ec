#pragma once

/// \file
/// Multilevel separators: coarsens a graph, cuts the coarsest graph and refines the cut on the way back.

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/clustering.hpp"
#include "solver/symbolic/dissection/separation.hpp"

namespace gpusupernodal::dissection {

/// A partition of a graph by a separator, or into components that each have at most half of the weight.
struct Cut {
  Separation separation;
  Vertex components = 1;        ///< If more than 1, `component` is set instead of `separation`.
  RawVector<Vertex> component;  ///< Component of each vertex, numbered in the order of their lowest vertices.
};

/// Whether other pieces are divided concurrently. A piece that is divided alone has all threads available and uses parallel
/// algorithms on smaller graphs, too.
enum class Concurrency : std::uint8_t { alone, others };

/// One step of coarsening towards `target` vertices, by a factor of about four if the graph is large, else two.
CoarseGraph coarsen(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team,
                    Concurrency concurrency = Concurrency::others);

/// Whether a step of coarsening removed too few vertices for another one to be worthwhile.
bool has_stalled(const WeightedGraph& fine, const WeightedGraph& coarse);

/// Projects an array over coarse vertices to the fine vertices.
template <class Array>
Array project(const Array& of_coarse, const CoarseGraph& coarse, ThreadTeam& team) {
  Array fine(coarse.coarse_of.size());
  team.for_intervals(static_cast<std::int64_t>(fine.size()), 16384, [&](std::int64_t begin, std::int64_t end) {
    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
      fine[v] = of_coarse[static_cast<std::size_t>(coarse.coarse_of[v])];
    }
  });
  return fine;
}

/// The maximum weight of a side.
std::int64_t heaviest_side(const WeightedGraph& graph);

/// Options of cut_graph.
struct CutOptions {
  int tries = 1;
  int kept = 1;  ///< Number of best tries to return.
  Concurrency concurrency = Concurrency::others;
  double price = usual_price;  ///< Price of imbalance.
};

/// Cuts a graph by the multilevel method [KK98] and returns the best `kept` of several tries, best first. Returns one cut
/// only if the graph has several components, or if its separators are large, where several would take too long. The result
/// does not depend on the team. Preconditions: at least one vertex, 1 ≤ kept ≤ tries. Expected cost O(edges · tries) if the
/// graph coarsens well.
std::vector<Cut> cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options);

/// Returns the best cut.
Cut best_cut(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options = {});

}  // namespace gpusupernodal::dissection
