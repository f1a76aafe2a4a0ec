#pragma once

/// \file
/// Device code that both directions share for a single right-hand side.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

/// The contributions to each lane's row. All lanes of the warp must call it: a list of more than a few is added by the whole
/// warp. The order of additions depends on the list alone.
template <class T>
__device__ T gather(const SolveData<T>& data, const Sources& from) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T sum = T(0);
  T ahead[Sources::ahead] = {};
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
    if (from.first[i] >= 0) ahead[i] = __ldcg(data.u + from.first[i]);
  }
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) sum += ahead[i];
  if (!__any_sync(all_lanes, from.more >= 0)) return sum;
  const int count = from.more >= 0 ? data.gather_more[from.more] : 0;
  const bool is_long = count > few_sources;
  if (!is_long) {
#pragma unroll 4
    for (int e = 1; e <= count; ++e) sum += __ldcg(data.u + data.gather_more[from.more + e]);
  }
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const int begin = __shfl_sync(all_lanes, from.more, owner);
    const int all = __shfl_sync(all_lanes, count, owner);
    T part = T(0);
#pragma unroll 4
    for (int e = 1 + lane; e <= all; e += 32) part += __ldcg(data.u + data.gather_more[begin + e]);
    const T total = warp_sum(part);
    if (lane == owner) sum += total;
  }
  return sum;
}

/// P(row, first … last−1) · v, v in shared memory from entry 0 on for column `first`.
template <class T>
__device__ T row_product(const T* entry, std::int64_t ld, int first, int last, const T* v) {
  T sum = T(0);
#pragma unroll 16
  for (int k = first; k < last; ++k) sum += entry[k * ld] * v[k];
  return sum;
}

/// Sums over warps of each lane's number: warp w < groups gets that of warps w, w + groups, …
template <class T>
__device__ T sum_over_warps(T sum, int groups, T (&room)[solve_warps][32]) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  room[warp][lane] = sum;
  __syncthreads();
  T total = T(0);
  if (warp < groups) {
    for (int w = warp; w < solve_warps; w += groups) total += room[w][lane];
  }
  return total;
}

/// Starts to copy a panel's columns into shared memory, densely, by a warp or a CTA.
template <class T>
__device__ void copy_panel(const T* base, std::int64_t ld, int rows, int width, T* to, int thread, int threads) {
  for (int index = thread; index < rows * width; index += threads) {
    copy_async<sizeof(T)>(to + index, base + index % rows + index / rows * ld, true);
  }
  commit_copies();
}

/// A narrow front's entries where a CTA reads them: in shared memory, if they have room there, or where they are.
template <class T>
struct Panel {
  const T* base;
  std::int64_t ld;

  /// Starts to bring them there, or into the second-level cache; wait_for_copies and a barrier before they are read.
  __device__ Panel(const SolveData<T>& data, const SolveTask& task, T (&room)[solve_warps][solve_warp_entries])
      : base(data.values + task.offset), ld(task.ld) {
    const int thread = static_cast<int>(threadIdx.x);
    if (task.front * task.width > solve_warps * solve_warp_entries) {
      prefetch_block(base, ld, task.front, task.width, thread, solve_threads);
      return;
    }
    copy_panel(base, ld, task.front, task.width, &room[0][0], thread, solve_threads);
    base = &room[0][0];
    ld = task.front;
  }
};

}  // namespace gpusupernodal::cuda
