#pragma once

/// \file
/// Costs for merging: the cost model applied to supernodes whose rows are not listed yet.

#include "solver/model/cost_figures.hpp"
#include "solver/symbolic/supernodes.hpp"

namespace gpusupernodal {

/// Estimates the seconds of a factorization and a solve with one right-hand side, with A, b and x on the device: the
/// launches of all levels (plan_cuda_fronts), the work per value of L, and the solve's longest path.
double device_seconds(const SupernodeForest& forest, const CostFigures& figures);

/// As device_seconds, on the host with the number of threads its figures were fitted for, so that no plan depends on
/// the actual number.
double host_seconds(const SupernodeForest& forest, const HostFigures& figures);

/// Costs that merging uses for a device. `may_take_host`: the host may still be chosen if it is faster.
PathCost path_cost(const CostFigures& figures, bool may_take_host);

}  // namespace gpusupernodal
