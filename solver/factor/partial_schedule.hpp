#pragma once

/// \file
/// Schedules of factorizations that leave out the last supernode.

#include "solver/factor/schedule.hpp"

namespace gpusupernodal {

/// Builds the schedule of a factorization in which the supernode `unfactored` only receives updates: its panel becomes a
/// contribution block. It is the last supernode, and the root of no interval (SymbolicFactor::subtree_first), or invalid:
/// then all are factorized. Solves do not read its panel. Cost: that of build_schedule.
Schedule build_partial_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
                                SupernodeId unfactored, ThreadTeam& team);

}  // namespace gpusupernodal
