#pragma once

/// \file
/// Approximate minimum degree for the pieces that are not dissected further.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Order of elimination of the first `inner` vertices of a graph by approximate minimum degree [ADD96]. The others, its halo
/// [PRA00], are eliminated later, elsewhere: they count in the degrees and are in no order here. Edges within the halo may
/// be left out. Vertices count with their weights. Cost as that of AMD.
std::vector<Vertex> minimum_degree_order(const WeightedGraph& graph, Vertex inner);

}  // namespace gpusupernodal::dissection
