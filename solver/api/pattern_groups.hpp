#pragma once

/// \file
/// Which matrices of a list have equal patterns.

#include <cstdint>
#include <vector>

#include "gpusupernodal/span.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Lists of the matrices of each pattern, in the order of their first ones; each list ascends. Two patterns are equal if
/// order, stored part, compression, offsets and indices are, whatever the widths of the integers. Patterns need not be
/// valid: one whose arrays cannot be read has a list of its own. Finds candidates by a hash and compares all numbers.
/// Cost O(n + nnz) for each matrix; O(1) for one with the arrays of the matrix before.
std::vector<std::vector<std::int64_t>> group_patterns(Span<const PatternView> patterns);

}  // namespace gpusupernodal
