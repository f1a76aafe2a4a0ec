#pragma once

/// \file
/// Device code that both directions share for a single right-hand side.

#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

/// The contributions to each lane's row. All lanes of the warp must call it: a list of more than a few is added by the whole
/// warp. The order of additions depends on the list alone.
template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const bool is_long = from.count > few_sources;
  T sum = T(0);
  T ahead[Sources::ahead] = {};
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    if (i < from.count) ahead[i] = __ldcg(data.u + from.first[i]);
  }
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) sum += ahead[i];
  if (!is_long) {
#pragma unroll 4
    for (int e = Sources::ahead; e < from.count; ++e) sum += __ldcg(data.u + data.gather_source[from.begin + e]);
  }
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const std::int64_t begin = __shfl_sync(all_lanes, from.begin, owner);
    const int count = __shfl_sync(all_lanes, from.count, owner);
    T part = T(0);
#pragma unroll 4
    for (int e = Sources::ahead + lane; e < count; e += 32) part += __ldcg(data.u + data.gather_source[begin + e]);
    const T total = warp_sum(part);
    if (lane == owner) sum += total;
  }
  return sum;
}

/// P(row, first … last−1) · v, v in shared memory from entry 0 on for column `first`.
template <class T>
__device__ T row_product(const T* entry, std::int64_t ld, int first, int last, const T* v) {
  T sum = T(0);
#pragma unroll 32
  for (int k = first; k < last; ++k) sum += entry[k * ld] * v[k];
  return sum;
}

/// The sum over warps of each lane's number, in warp 0.
template <class T>
__device__ T sum_over_warps(T sum, T (&room)[solve_warps][32]) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  room[warp][lane] = sum;
  __syncthreads();
  T total = T(0);
  if (warp == 0) {
#pragma unroll
    for (int w = 0; w < solve_warps; ++w) total += room[w][lane];
  }
  return total;
}

}  // namespace gpusupernodal::cuda
