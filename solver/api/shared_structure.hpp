#pragma once

/// \file
/// The structure of L and its division as bytes, for the other parts of a DistributedSolver.

#include <vector>

#include "solver/factor/part_map.hpp"

namespace gpusupernodal {

/// What part 0 sends to all parts.
struct SharedStructure {
  SymbolicFactor symbolic;
  PartMap map;
};

std::vector<char> bytes_of(const SymbolicFactor& symbolic, const PartMap& map);
/// Precondition: `bytes` are those that bytes_of returned. All parts run on machines with the same representation of
/// numbers.
SharedStructure structure_from(const std::vector<char>& bytes);

}  // namespace gpusupernodal
