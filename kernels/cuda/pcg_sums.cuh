#pragma once

/// \file
/// Sums over vectors in a fixed order, and what an iteration of conjugate gradients does with them.

#include <cstdint>
#include <limits>

#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/pcg_kernels.hpp"

namespace gpusupernodal::cuda {

/// PcgStop of solver/backend, which kernels do not include; cuda_pcg.cpp compares them.
inline constexpr int pcg_reached = 1;
inline constexpr int pcg_limit = 2;
inline constexpr int pcg_breakdown = 3;
inline constexpr int pcg_not_finite = 4;

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The sum of `value` over the CTA, for all its threads. All threads call it.
__device__ inline double sum_of_block(double value) {
  __shared__ double warps[flat_threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  __syncthreads();  // An earlier call may still read.
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0.0;
  for (int w = 0; w < flat_threads / 32; ++w) sum += warps[w];
  return sum;
}

/// The sum of the parts of pᵀq, for all threads of a CTA and equal in all CTAs.
__device__ inline double sum_of_products(const double* products, int count) {
  double sum = 0.0;
  for (int k = static_cast<int>(threadIdx.x); k < count; k += flat_threads) sum += __ldcg(products + k);
  return sum_of_block(sum);
}

/// Adds both values over the grid. Returns true in one thread only, thread 0 of the CTA that ends last, which has the sums
/// in its arguments then; by then all other CTAs have read the state. All threads call it.
__device__ inline bool add_up_pair(double& one, double& other, double* sums, unsigned* ticket) {
  __shared__ bool last;
  one = sum_of_block(one);
  other = sum_of_block(other);
  if (threadIdx.x == 0) {
    __stcg(sums + blockIdx.x, one);
    __stcg(sums + max_pcg_blocks + blockIdx.x, other);
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;  // Wraps to 0 for the next launch.
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  const int blocks = static_cast<int>(gridDim.x);
  one = sum_of_products(sums, blocks);
  other = sum_of_products(sums + max_pcg_blocks, blocks);
  return threadIdx.x == 0;
}

/// Takes rᵀz of the new residual. Called by one thread.
__device__ inline void take_rho(PcgState* state, double rz) {
  if (!isfinite(rz)) {
    state->stop = pcg_not_finite;
  } else if (!(rz > 0.0)) {
    state->stop = pcg_breakdown;
  } else {
    state->beta = state->first != 0 ? 0.0 : rz / state->rho;
    state->rho = rz;
    state->first = 0;
  }
}

}  // namespace gpusupernodal::cuda
