#pragma once

/// \file
/// The tasks of the forward and backward sweeps of a triangular solve on a device, and what each waits for. Host-only.

#include "solver/cuda/plan/solve_plan.hpp"

namespace gpusupernodal {

/// Builds the tasks of L y = b: a front waits for its children. Cost O(supernodes + tiles).
CudaSolveSweep build_forward_sweep(const SymbolicFactor& factor);

/// Builds the tasks of Lᵀ x = y: a front waits for its parent. Sets `partials` to the number of partial sums.
CudaSolveSweep build_backward_sweep(const SymbolicFactor& factor, std::int64_t& partials);

/// Build the sweeps for one right-hand side, with tasks of the given shape. `sums` is set to the number of sums that
/// wide fronts keep for the rows below them.
CudaSolveSweep build_one_rhs_forward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& sums);
CudaSolveSweep build_one_rhs_backward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& partials);

}  // namespace gpusupernodal
