#pragma once

/// \file
/// A separator of a graph by coarsening it, cutting the coarsest graph and refining on the way back.

#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/symbolic/dissection/separation.hpp"

namespace gpusupernodal::dissection {

/// How a graph falls apart: by a separator, or into the components that it has without one.
struct Cut {
  Separation separation;
  Vertex components = 1;        ///< More than 1: `component` says which; there is no separation.
  RawVector<Vertex> component;  ///< Of each vertex, from 0.
};

/// Multilevel as in [KK98]. Depends on the graph and the seed only, not on the team. Precondition: at least one vertex.
/// Cost O(edges) in expectation where the graph coarsens well.
Cut cut_graph(const WeightedGraph& graph, std::uint64_t seed, ThreadTeam& team);

}  // namespace gpusupernodal::dissection
