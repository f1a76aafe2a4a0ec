#pragma once

/// \file
/// The kernels of a solve: one a direction and number of right-hand sides. Each in a file of its own; solve.cu launches
/// them.

#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {

template <class T>
using SweepKernel = void (*)(SolveData<T>);

/// For one right-hand side.
template <class T>
SweepKernel<T> forward_one();
template <class T>
SweepKernel<T> backward_one();
/// Sums of their threads: 16 bytes each.
template <class T>
inline constexpr int one_rhs_sum_entries = 32 * solve_warps * 16 / static_cast<int>(sizeof(T));
/// Bytes of shared memory that they need beside a tile.
template <class T>
inline constexpr int one_rhs_fixed_bytes = (solve_block + one_rhs_sum_entries<T>)*static_cast<int>(sizeof(T));

/// For several: steps of four columns of L that a warp copies together, the entries of such a batch, two tiles of 16 rows,
/// and how many batches it has under way at most: 64 KiB a CTA.
inline constexpr int stage_steps = 4;
inline constexpr int stage_batch = stage_steps * 4 * 32;
/// With the vectors that it is multiplied by, and the bytes of all warps' batches.
template <int Columns>
inline constexpr int batch_size = stage_batch + stage_steps * 4 * Columns;
template <class T, int Columns>
inline constexpr int stage_bytes = solve_warps* batch_size<Columns>* static_cast<int>(sizeof(T));
template <class T>
inline constexpr int stage_most_batches = 16 / static_cast<int>(sizeof(T));

/// For `Columns`: solve_few or solve_many.
template <class T, int Columns>
SweepKernel<T> forward_many();
template <class T, int Columns>
SweepKernel<T> backward_many();

}  // namespace gpusupernodal::cuda
