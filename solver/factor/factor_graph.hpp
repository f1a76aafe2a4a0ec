#pragma once

/// \file
/// The task graph of the supernodal Cholesky factorization.

#include "solver/factor/schedule.hpp"
#include "solver/factor/tile_grid.hpp"

namespace gpusupernodal {

/// Builds the tasks of the schedule's subtrees and block columns in elimination order. The tasks are those of [ZDG];
/// updates into a supernode are left-looking. Preconditions: `schedule` has subtrees and block columns, and `grid` was made
/// from it. `unfactored`: the last supernode, if it only receives updates.
TaskGraph build_factor_graph(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid,
                             const Schedule& schedule, ThreadTeam& team, SupernodeId unfactored = {});

}  // namespace gpusupernodal
