#pragma once

/// \file
/// The order in which tasks of a launch plan add to columns of L, where it is to be the same in every run. Host-only code of
/// launch_plan.cpp.

#include "solver/exec/cuda/launch_plan.hpp"

namespace gpusupernodal::cuda {

/// Launches of a level that come one after the other. A column that more sources of a level add to is rare, and each launch
/// costs a few microseconds.
inline constexpr std::int32_t most_colours = 32;

/// Makes several launches of each in which sources add to the same columns: each source gets the first colour that no source
/// before it has with which it shares a column, and each colour becomes a level of its own. Within it no two tasks add to
/// one entry, so that they need no order. Sources that find no colour are the last level, whose tasks take turns
/// (LaunchPlan::turn_of_row).
/// Precondition: launches without groups, whose lists have the tasks of a source that add to ancestors side by side.
/// Cost O(rows of all sources).
void fix_order(const SymbolicFactor& factor, LaunchPlan& launches);

}  // namespace gpusupernodal::cuda
