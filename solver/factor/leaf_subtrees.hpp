#pragma once

/// \file
/// The cut of the assembly tree: leaf subtrees below, supernodes that are worked on by block tasks above.

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// Fills subtrees and subtree_of: the largest subtrees within the limits of `options`; neighbours that together stay
/// under the limit of flops become one. Cost O(supernodes).
void cut_leaf_subtrees(const SymbolicFactor& factor, const ScheduleOptions& options, Schedule& schedule);

}  // namespace gpusupernodal
