#pragma once

/// \file
/// Device code that both directions of a triangular solve share.

#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {

inline constexpr int solve_warps = 8;
inline constexpr int solve_threads = 32 * solve_warps;
inline constexpr unsigned all_lanes = 0xffffffffu;

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
  __device__ std::int64_t front_row(const PanelInfo& panel, int row) const {
    return row < panel.width ? panel.first_column + row : data.order + panel.rows + row - panel.width;
  }
};

/// sum[q] += what children left for front row `row` of each lane (none if negative). All lanes of the warp must call it.
/// A list of more than a few is added by the whole warp.
template <class T, int Columns>
__device__ void gather(const Group<T, Columns>& group, std::int64_t row, T (&sum)[Columns]) {
  constexpr int few = 16;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t begin = row < 0 ? 0 : group.data.gather_offset[row];
  const std::int64_t end = row < 0 ? 0 : group.data.gather_offset[row + 1];
  const bool is_long = end - begin > few;
  if (!is_long) {
    for (std::int64_t e = begin; e < end; ++e) {
      const std::int64_t source = group.data.gather_source[e];
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        if (q < group.columns) sum[q] += group.u[source + q * group.data.contributions];
      }
    }
  }
  for (unsigned left = __ballot_sync(all_lanes, is_long); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const std::int64_t first = __shfl_sync(all_lanes, begin, owner);
    const std::int64_t last = __shfl_sync(all_lanes, end, owner);
    T part[Columns] = {};
    for (std::int64_t e = first + lane; e < last; e += 32) {
      const std::int64_t source = group.data.gather_source[e];
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

}  // namespace gpusupernodal::cuda
