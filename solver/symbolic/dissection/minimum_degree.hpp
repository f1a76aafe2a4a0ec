#pragma once

/// \file
/// Approximate minimum degree for the pieces that are not dissected further.

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Order of elimination of the first `inner` vertices of a graph by approximate minimum degree [ADD96]. The others, its halo
/// [PRA00], are eliminated later, elsewhere: they count in the degrees and are in no order here. Edges within the halo may
/// be left out. Vertices count with their weights. Cost as that of AMD.
/// Precondition: fewer than 2³⁰ edges.
RawVector<Vertex> minimum_degree_order(const WeightedGraph& graph, Vertex inner);

}  // namespace gpusupernodal::dissection
