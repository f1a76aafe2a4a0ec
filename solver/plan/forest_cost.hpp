#pragma once

/// \file
/// What merging is told of a device: the cost model for supernodes whose rows are not listed yet.

#include "solver/model/cost_figures.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

/// Estimated seconds of a factorization and a solve with a right-hand side on a device, A, b and x there: the launches of
/// all levels (plan_cuda_fronts), what is done once for each value of L, and the solve's longest path.
double device_seconds(const SupernodeForest& forest, const CostFigures& figures);

/// The same on the host, on the threads that its figures were fitted on: no plan depends on how many there are.
double host_seconds(const SupernodeForest& forest, const HostFigures& figures);

/// `may_take_host`: whether the host may be taken after all, where that is faster.
PathCost path_cost(const CostFigures& figures, bool may_take_host);

}  // namespace gpusupernodal
