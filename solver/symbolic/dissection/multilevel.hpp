#pragma once

/// \file
/// A separator of a graph by coarsening it, cutting the coarsest graph and refining on the way back.

#include <cstdint>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/clustering.hpp"
#include "solver/symbolic/dissection/separation.hpp"

namespace gpusupernodal::dissection {

/// How a graph falls apart: by a separator, or into components that each have at most half of its weight.
struct Cut {
  Separation separation;
  Vertex components = 1;        ///< More than 1: `component` says which; there is no separation.
  RawVector<Vertex> component;  ///< Of each vertex, from 0 in the order of their least vertices.
};

/// Whether other pieces are divided at the same time. A piece that is divided alone has all threads, and goes more often in
/// steps that several of them can share.
enum class Concurrency : std::uint8_t { alone, others };

/// One step of coarsening on the way to about `target` vertices: by four where the graph is large, else by two.
CoarseGraph coarsen(const WeightedGraph& graph, Vertex target, std::uint64_t seed, ThreadTeam& team,
                    Concurrency company = Concurrency::others);

/// Whether a step left so much of the graph that another would be in vain.
bool has_stalled(const WeightedGraph& fine, const WeightedGraph& coarse);

/// A number of each coarse vertex for the vertices that went into it.
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

/// What a side may weigh.
std::int64_t heaviest_side(const WeightedGraph& graph);

/// How a graph is cut.
struct CutOptions {
  int tries = 1;
  int kept = 1;  ///< Of the tries.
  Concurrency company = Concurrency::others;
  double price = usual_price;  ///< Of imbalance.
};

/// Multilevel as in [KK98]: the best of several tries, the best first; one alone where the graph has several components
/// or large separators, where more would take long.
/// Depends on graph, seed and options only, not on the team. Precondition: at least one vertex, 1 ≤ kept ≤ tries. Cost
/// O(edges · tries) in expectation where the graph coarsens well.
std::vector<Cut> cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options);

/// The best one.
Cut best_cut(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team, const CutOptions& options = {});

}  // namespace gpusupernodal::dissection
