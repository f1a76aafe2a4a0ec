#pragma once

/// \file
/// Layout of a CTA's dynamic shared memory in kernels for several right-hand sides.

#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/solve_many.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

template <class T>
constexpr bool has_space_for_warps =
    min_memory<T, solve_many> / static_cast<int>(sizeof(T)) >= solve_warps* warp_width* front_stride<T, solve_many>;
static_assert(has_space_for_warps<double> && has_space_for_warps<float>);
static_assert(has_space_for_warps<Complex<double>> && has_space_for_warps<Complex<float>>);

__device__ inline char* shared_memory_base() {
  extern __shared__ __align__(shared_alignment) char solve_memory[];
  return solve_memory;
}
__device__ inline int shared_memory_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return static_cast<int>(bytes);
}
/// Batches per warp that fit into shared memory.
template <class T, int Columns>
__device__ int stage_batches() {
  return min(stage_max_batches<T>, (shared_memory_bytes() - memory_head<T, Columns>) / stage_bytes<T, Columns>);
}
/// Begin of a warp's batches, and, after they are multiplied, of its sums.
template <class T, int Columns>
__device__ T* stage_of_warp(int warp) {
  return reinterpret_cast<T*>(shared_memory_base() + memory_head<T, Columns>) +
         warp * stage_batches<T, Columns>() * batch_size<Columns>;
}

/// Vectors of a narrow front in shared memory.
template <class T, int Columns>
using FrontVectors = T (*)[front_stride<T, Columns>];

/// Leaves each warp's sums of two tiles in place of its batches. Other warps can read them after a barrier.
template <class T, int Columns>
__device__ void store_sums(const Sums<T, Columns> (&sums)[2]) {
  __syncwarp();
  T* const shared_memory = stage_of_warp<T, Columns>(static_cast<int>(threadIdx.x / 32u));
  store_sums(sums, *reinterpret_cast<T(*)[solve_outputs][Columns]>(shared_memory));
}

/// Calls f(row, column, sum) for the entries of `groups` times solve_outputs rows, a few per thread. Warp w has left a
/// partial sum for the rows of group w % groups.
template <class T, int Columns, class F>
__device__ void for_each_total(int groups, F f) {
  constexpr int each = solve_outputs * Columns;
  const T* const shared_memory = stage_of_warp<T, Columns>(0);
  const int stride = stage_batches<T, Columns>() * batch_size<Columns>;
#pragma unroll 2
  for (int index = static_cast<int>(threadIdx.x); index < groups * each; index += solve_threads) {
    T total = T(0);
    for (int w = index / each; w < solve_warps; w += groups) total += shared_memory[w * stride + index % each];
    f(index / Columns, index % Columns, total);
  }
}

}  // namespace gpusupernodal::cuda
