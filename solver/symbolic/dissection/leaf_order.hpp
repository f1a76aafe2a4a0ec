#pragma once

/// \file
/// Orders the pieces at the bottom of the dissection.

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Pieces that no edge joins may be ordered at the same time, while others are still cut.
class LeafOrder {
 public:
  /// The graph of which all pieces are parts; what it views must outlive this.
  explicit LeafOrder(const GraphView& graph);

  /// Says that vertices belong to a separator: halo of the pieces beside them.
  void set_outside(const Vertex* begin, const Vertex* end);

  /// Writes the vertices of `piece` to order[0 …], the first eliminated first.
  void order(const RawVector<Vertex>& piece, Vertex* order);

 private:
  GraphView graph_;
  RawVector<std::uint8_t> outside_;  ///< By vertex; its pieces' own entries are all that a piece reads beside separators'.
  RawVector<Vertex> local_;          ///< Of the vertices of a piece that is being ordered.
};

}  // namespace gpusupernodal::dissection
