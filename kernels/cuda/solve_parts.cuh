#pragma once

/// \file
/// Device code that both directions of a triangular solve share.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {

inline constexpr int solve_warps = 8;
inline constexpr int solve_threads = 32 * solve_warps;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// The next launch of the stream may begin before this one has ended: what it reads before await_launch_before, the
/// launches of a solve do not write.
__device__ inline void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until all that earlier launches wrote can be read.
__device__ inline void await_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Brings a column-major block into the second-level cache while the launch before still runs.
template <class T>
__device__ void prefetch_block(const T* corner, std::int64_t ld, int rows, int columns, int thread, int threads) {
  constexpr int line = 128 / static_cast<int>(sizeof(T));
  const int lines = (rows + line - 1) / line;  // One less than it may touch: enough.
  for (int index = thread; index < lines * columns; index += threads) {
    const T* const at = corner + index % lines * line + index / lines * ld;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
  }
}

template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

/// 1/L(j, j), or 0 where the pivot failed.
template <class T>
__device__ T reciprocal(T root) {
  return root > T(0) && isfinite(root) ? T(1) / root : T(0);
}

/// A group of right-hand sides of a solve.
template <class T, int Columns>
struct Group {
  SolveData<T> data;
  int columns;  ///< Of this group.
  T *x, *y, *u, *partial;

  __device__ explicit Group(const SolveData<T>& all)
      : data(all), columns(min(Columns, all.columns - static_cast<int>(blockIdx.y) * Columns)) {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * Columns;
    x = all.x + first * all.order;
    y = all.y + first * all.order;
    u = all.u + first * all.contributions;
    partial = all.partial + first * all.partials;
  }

  /// Number of a front's row among all rows of fronts.
  __device__ std::int64_t front_row(const SolveTask& task, int row) const {
    return row < task.panel_width ? task.first_column + row : data.order + task.rows + row - task.panel_width;
  }
  /// Where the contribution to a row below the supernode lies.
  __device__ T* contribution(const SolveTask& task, int row) const { return u + task.rows + row - task.panel_width; }
};

/// Where the contributions to a row come from, read ahead of the contributions.
struct Sources {
  static constexpr int ahead = 4;
  std::int64_t begin = 0;
  std::int32_t count = 0;
  std::int32_t first[ahead] = {};

  /// Of front row `row`; none if it is negative.
  template <class T>
  __device__ void read(const SolveData<T>& data, std::int64_t row) {
    if (row < 0) return;
    begin = data.gather_offset[row];
    count = static_cast<std::int32_t>(data.gather_offset[row + 1] - begin);
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (i < count) first[i] = data.gather_source[begin + i];
    }
  }
};

/// sum[q] += the contributions to each lane's row. All lanes of the warp must call it: a list of more than a few is added
/// by the whole warp. The order of additions depends on the list alone.
template <class T, int Columns>
__device__ void gather(const Group<T, Columns>& group, const Sources& from, T (&sum)[Columns]) {
  constexpr int few = 32;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const bool is_long = from.count > few;
  T ahead[Sources::ahead][Columns] = {};
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (i < from.count && q < group.columns) ahead[i][q] = group.u[from.first[i] + q * group.data.contributions];
    }
  }
#pragma unroll
  for (int i = 0; i < Sources::ahead; ++i) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) sum[q] += ahead[i][q];
  }
  if (!is_long) {
#pragma unroll 4
    for (int e = Sources::ahead; e < from.count; ++e) {
      const std::int64_t source = group.data.gather_source[from.begin + e];
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        if (q < group.columns) sum[q] += group.u[source + q * group.data.contributions];
      }
    }
  }
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const std::int64_t begin = __shfl_sync(all_lanes, from.begin, owner);
    const int count = __shfl_sync(all_lanes, from.count, owner);
    T part[Columns] = {};
#pragma unroll 4
    for (int e = Sources::ahead + lane; e < count; e += 32) {
      const std::int64_t source = group.data.gather_source[begin + e];
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        if (q < group.columns) part[q] += group.u[source + q * group.data.contributions];
      }
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      const T total = warp_sum(part[q]);
      if (lane == owner) sum[q] += total;
    }
  }
}

/// sum[q] of each lane's row: P(row, first … last−1) · v[q], v in shared memory from entry 0 on for column `first`.
template <class T, int Columns, int Length>
__device__ void add_row_product(const T* entry, std::int64_t ld, int first, int last, const T (&v)[Columns][Length],
                                T (&sum)[Columns]) {
#pragma unroll(Columns == 1 ? 32 : 8)
  for (int k = first; k < last; ++k) {
    const T a = entry[k * ld];
#pragma unroll
    for (int q = 0; q < Columns; ++q) sum[q] += a * v[q][k];
  }
}

/// Adds the sums of all warps, a row a lane: the totals of right-hand side q end up in warp q.
template <class T, int Columns>
__device__ T sum_over_warps(const T (&sum)[Columns], T (&room)[solve_warps][Columns][32]) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
#pragma unroll
  for (int q = 0; q < Columns; ++q) room[warp][q][lane] = sum[q];
  __syncthreads();
  T total = T(0);
  if (warp < Columns) {
#pragma unroll
    for (int w = 0; w < solve_warps; ++w) total += room[w][warp][lane];
  }
  return total;
}

template <class T>
using SolveKernel = void (*)(SolveData<T>, const SolveTask*, int);

/// Launches a level: CTAs of `solve_warps` warp tasks each, then those of the CTA tasks, for every group of right-hand
/// sides; `one` is the kernel for a single one. Where data.early says so, it may begin before the launch before it has
/// ended.
template <class T>
void launch_level(SolveKernel<T> one, SolveKernel<T> several, const SolveData<T>& data, const SolveTask* tasks, int warps,
                  int ctas, cudaStream_t stream) {
  if (warps + ctas == 0) return;
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((warps + solve_warps - 1) / solve_warps + ctas), 1, 1);
  if (data.columns > 1) config.gridDim.y = static_cast<unsigned>((data.columns + solve_columns - 1) / solve_columns);
  config.blockDim = dim3(solve_threads, 1, 1);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = data.early ? 1 : 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaLaunchKernelEx(&config, data.columns == 1 ? one : several, data, tasks, warps));
}

}  // namespace gpusupernodal::cuda
