#pragma once

/// \file
/// Orders the leaf pieces of the dissection.

#include "base/raw_vector.hpp"
#include "solver/symbolic/dissection/weighted_graph.hpp"

namespace gpusupernodal::dissection {

/// Orders pieces of a graph. Pieces without a connecting edge may be ordered concurrently, while others are still dissected.
class LeafOrder {
 public:
  /// `graph` contains all pieces. Precondition: the viewed arrays outlive the object.
  explicit LeafOrder(const GraphView& graph);

  /// Marks vertices as members of a separator. They become halo vertices of the adjacent pieces.
  void set_outside(const Vertex* begin, const Vertex* end);

  /// Writes the vertices of `piece` to order[0 …], the first eliminated first.
  void order(const RawVector<Vertex>& piece, Vertex* order);

 private:
  GraphView graph_;
  RawVector<std::uint8_t> outside_;  ///< 1 for separator vertices. order() reads its piece's and the halo's entries only.
  RawVector<Vertex> local_;          ///< Number of a vertex within the piece that is being ordered.
};

}  // namespace gpusupernodal::dissection
