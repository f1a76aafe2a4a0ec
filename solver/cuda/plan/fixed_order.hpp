#pragma once

/// \file
/// The order in which tasks of a launch plan add to columns of L, where it is to be the same in every run. Host-only code of
/// launch_plan.cpp.

#include "solver/cuda/plan/launch_plan.hpp"

namespace gpusupernodal::cuda {

/// Launches of a kind that come one after the other in a level. It is rare that more add to one column, and each costs a few
/// microseconds.
inline constexpr std::int32_t max_colours = 32;

/// Makes launches in which no two tasks add to one entry, so that they need no order: tasks of different sources that add to
/// the same column get different colours, each the first that is free, and each colour becomes a level of its own. What the
/// next level does not need, and would be a colour more, waits for a launch of a later level. Tasks that find no colour are
/// the last level, where they take turns (LaunchPlan::tasks_before_row).
/// Precondition: launches without groups; the tasks of a source lie side by side. Cost O(rows of all sources), each
/// looked at a few times.
void fix_order(const SymbolicFactor& factor, LaunchPlan& launches);

}  // namespace gpusupernodal::cuda
