#pragma once

/// \file
/// The tasks of the two directions of a triangular solve on a device, and what each waits for. Host-only code.

#include "solver/cuda/plan/solve_plan.hpp"

namespace gpusupernodal {

/// L y = b: a front waits for its children. Cost O(supernodes + tiles).
CudaSolveSweep build_forward_sweep(const SymbolicFactor& factor);

/// Lᵀ x = y: a front waits for its parent. `partials`: set to the count of partial sums.
CudaSolveSweep build_backward_sweep(const SymbolicFactor& factor, std::int64_t& partials);

/// The same for one right-hand side, in tasks of this shape; `sums`: set to the count of sums that wide fronts keep of the
/// rows below them.
CudaSolveSweep build_one_rhs_forward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& sums);
CudaSolveSweep build_one_rhs_backward_sweep(const SymbolicFactor& factor, const OneRhsShape& shape, std::int64_t& partials);

}  // namespace gpusupernodal
