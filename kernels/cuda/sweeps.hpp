#pragma once

/// \file
/// The kernels of a solve, one per direction and number of right-hand sides. Each has a separate file; solve.cu
/// launches them.

#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {

template <class T>
using SweepKernel = void (*)(SolveData<T>);

/// One right-hand side.
template <class T>
SweepKernel<T> forward_one();
template <class T>
SweepKernel<T> backward_one();
/// Entries of shared memory for the threads' partial sums: 16 bytes per thread.
template <class T>
inline constexpr int one_rhs_sum_entries = 32 * solve_warps * 16 / static_cast<int>(sizeof(T));
/// Bytes of shared memory that the kernels need besides a tile.
template <class T>
inline constexpr int one_rhs_fixed_bytes = (solve_block + one_rhs_sum_entries<T>)*static_cast<int>(sizeof(T));

/// Several right-hand sides. Steps of four columns of L per batch, entries of a batch (two tiles of 16 rows), and below
/// the maximum number of batches that a warp has in flight: 64 KiB per CTA.
inline constexpr int stage_steps = 4;
inline constexpr int stage_batch = stage_steps * 4 * 32;
/// Entries of a batch including the vectors that it is multiplied by, and bytes of one batch for all warps.
template <int Columns>
inline constexpr int batch_size = stage_batch + stage_steps * 4 * Columns;
template <class T, int Columns>
inline constexpr int stage_bytes = solve_warps* batch_size<Columns>* static_cast<int>(sizeof(T));
template <class T>
inline constexpr int stage_max_batches = ScalarTraits<T>::bytes == 16 ? 2 : 16 / static_cast<int>(sizeof(T));
/// CTAs per multiprocessor: registers limit them.
template <class T>
inline constexpr int many_rhs_ctas = ScalarTraits<T>::bytes == 16 ? 1 : 2;

/// Several right-hand sides; `Columns` is solve_few or solve_many.
template <class T, int Columns>
SweepKernel<T> forward_many();
template <class T, int Columns>
SweepKernel<T> backward_many();

}  // namespace gpusupernodal::cuda
