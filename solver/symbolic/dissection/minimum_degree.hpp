#pragma once

/// \file
/// Approximate minimum degree for the leaf pieces of the dissection.

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Orders the first `inner` vertices of a graph by approximate minimum degree [ADD96] with vertex weights. The other
/// vertices are the halo [PRA00]: they are eliminated later, so they count in the degrees but are not ordered. Edges within
/// the halo may be omitted. Precondition: fewer than 2³⁰ edges. Cost as AMD.
RawVector<Vertex> minimum_degree_order(const WeightedGraph& graph, Vertex inner);

}  // namespace gpusupernodal::dissection
