#pragma once

/// \file
/// The task graph of the supernodal Cholesky factorization.

#include "solver/factor/schedule.hpp"
#include "solver/factor/tile_grid.hpp"

namespace gpusupernodal {

/// The tasks of `schedule`'s subtrees and block columns in elimination order. Preconditions: subtrees and block columns
/// are cut, `grid` is their cut. Source: [ZDG] for the tasks, left-looking over the updates into a supernode.
TaskGraph build_factor_graph(const SymbolicFactor& factor, const UpdateList& updates, const TileGrid& grid,
                             const Schedule& schedule, ThreadTeam& team);

}  // namespace gpusupernodal
