#pragma once

/// \file
/// Lower bounds on the cost of an elimination order while it is computed.

#include <functional>

namespace gpusupernodal {

/// Exact for the eliminated vertices. The neighbours of the last pivot form a clique, in which in any order the k-th last
/// vertex has k − 1 later neighbours; these are counted too. No number therefore exceeds its value for the complete order.
struct CostBound {
  double flops = 0.0;     ///< Sum of the squared column counts.
  double nonzeros = 0.0;  ///< Entries of L.
  double height = 0.0;    ///< Columns on the longest path of the elimination tree.
};

/// Called after each pivot; returning false stops the elimination.
using ContinueOrdering = std::function<bool(const CostBound&)>;

}  // namespace gpusupernodal
