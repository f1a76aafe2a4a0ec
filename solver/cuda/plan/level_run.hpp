#pragma once

/// \file
/// The launch that factorizes the whole fronts of a run of levels.

#include "solver/cuda/plan/launch_plan.hpp"
#include "solver/model/cuda_fronts.hpp"

namespace gpusupernodal::cuda {

/// Lists the fronts of the run, if there is one, longest path to the root first, in groups that a CTA takes. Cost
/// O(supernodes), and O(m log m) for m fronts of the run.
RunLists list_level_run(const CudaFronts& fronts, const SymbolicFactor& factor);

/// Returns the flops of the longest path of a run. Cost O(supernodes).
double path_flops(const RunLists& run, const SymbolicFactor& factor);

}  // namespace gpusupernodal::cuda
