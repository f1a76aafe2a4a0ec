#pragma once

/// \file
/// Cuts the assembly tree into leaf subtrees and the supernodes above them, which block tasks process.

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// Sets subtrees and subtree_of to the largest subtrees within the limits of `options`. Adjacent subtrees are joined while
/// their total stays below the limit of flops. Cost O(supernodes).
void cut_leaf_subtrees(const SymbolicFactor& factor, const ScheduleOptions& options, Schedule& schedule);

}  // namespace gpusupernodal
