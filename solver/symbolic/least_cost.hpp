#pragma once

/// \file
/// What is known of an elimination order while it is being made.

#include <functional>

namespace gpusupernodal {

/// Exact for what is eliminated; beyond it the clique of the last pivot's neighbours counts, of which in any order the k-th
/// last has k − 1 neighbours later than itself. So nothing here ever exceeds what the whole order will have.
struct LeastCost {
  double flops = 0.0;     ///< Sum of the squares of the columns' counts.
  double nonzeros = 0.0;  ///< Of L.
  double height = 0.0;    ///< Columns on the longest path of the elimination tree.
};

/// Asked after each pivot; false ends the elimination.
using GoesOn = std::function<bool(const LeastCost&)>;

}  // namespace gpusupernodal
