#pragma once

/// \file
/// A reproducible order in which the tasks of a launch plan add to columns of L. Host-only; used by launch_plan.cpp.

#include "solver/cuda/plan/launch_plan.hpp"

namespace gpusupernodal::cuda {

/// Maximum number of consecutive launches of one kind per level. More tasks rarely add to one column, and each launch
/// costs a few microseconds.
inline constexpr std::int32_t max_colours = 32;

/// Reorders launches so that no two tasks of a launch add to the same entry, which fixes the order of additions. Tasks
/// of different sources that add to the same column get different colours, each the first free one, and each colour
/// becomes a separate level. A task that would need a further colour, and whose result the next level does not need, is
/// postponed to a later level. Tasks without a free colour form a last level with ordered accumulation
/// (LaunchPlan::tasks_before_row).
/// Precondition: the plan has no product groups, and tasks of one source are adjacent. Cost O(rows of all sources);
/// each is visited a few times.
void fix_order(const SymbolicFactor& factor, LaunchPlan& launches);

}  // namespace gpusupernodal::cuda
