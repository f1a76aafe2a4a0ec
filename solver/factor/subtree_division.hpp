#pragma once

/// \file
/// Cuts the assembly tree into subtrees for several parts, and a top.

#include <functional>
#include <optional>
#include <vector>

#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// Prices of a factor's supernodes.
struct SupernodePrices {
  IdVector<SupernodeId, double> flops;
  IdVector<SupernodeId, double> seconds;       ///< With one thread, at speed 1.
  IdVector<SupernodeId, double> path_seconds;  ///< Time of the steps that must follow each other, even on several parts.
  IdVector<SupernodeId, std::int64_t> values;

  SupernodePrices(const SymbolicFactor& factor, const PartMapOptions& options);
};

/// Roots of subtrees, ascending, with the part of each. All supernodes outside are the top.
struct SubtreeDivision {
  struct Root {
    SupernodeId supernode;
    PartId part;
  };
  std::vector<Root> roots;
};

/// Estimated seconds of a factorization with this division; infinite if it is not possible.
using DivisionPrice = std::function<double(const SubtreeDivision&)>;

/// Splits the subtree that takes longest, again and again, and returns the division with the lowest price; see
/// build_part_map. Returns nothing if no division is possible within the limits of memory.
std::optional<SubtreeDivision> divide_into_subtrees(const SymbolicFactor& factor, const SupernodePrices& prices,
                                                    const PartMapOptions& options, const DivisionPrice& price);

}  // namespace gpusupernodal
