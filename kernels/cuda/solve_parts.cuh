#pragma once

/// \file
/// Device code shared by both directions of a triangular solve, for any number of right-hand sides.

#include "kernels/cuda/scalars.cuh"
#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// Prefetches a column-major block into the L2 cache while the kernel waits for its vectors.
template <class T>
__device__ void prefetch_block(const T* corner, std::int64_t ld, int rows, int columns, int thread, int threads) {
  constexpr int line = 128 / static_cast<int>(sizeof(T));
  const int lines = (rows + line - 1) / line;  // May be one line short per column, which is enough.
#pragma unroll 1
  for (int index = thread; index < lines * columns; index += threads) {
    const T* const at = corner + index % lines * line + index / lines * ld;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
  }
}

template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += shuffle_xor(value, step);
  return value;
}

/// Returns 1/L(j, j), or 0 if that is not finite. (L of a Cholesky factorization with a failed pivot may have a negative
/// diagonal entry: its solutions are replaced by NaN.)
template <class T>
__device__ T reciprocal(T root) {
  return root != T(0) && is_finite(root) ? inverse_of(root) : T(0);
}

/// Index of a front's row among all rows of fronts.
template <class T>
__device__ std::int64_t front_row(const SolveData<T>& data, const SolveFront& task, int row) {
  return row < task.panel_width ? task.first_column + row : data.order + task.rows + row - task.panel_width;
}

/// Index of the contribution to a row below the supernode.
__device__ inline std::int64_t contribution(const SolveFront& task, int row) {
  return std::int64_t{task.rows} + row - task.panel_width;
}

/// Position of a front's row in the solution.
template <class T>
__device__ std::int32_t solved_row(const SolveData<T>& data, const SolveFront& task, int row) {
  return row < task.panel_width ? task.first_column + row : data.rows[contribution(task, row)];
}

/// Sources of the contributions to a row, read before the contributions.
struct Sources {
  static constexpr int ahead = 3;
  std::int32_t first[ahead] = {-1, -1, -1};
  std::int32_t more = -1;

  Sources() = default;
  __device__ explicit Sources(const int4& found) : first{found.x, found.y, found.z}, more(found.w) {}

  /// Reads the sources of front row `row`; none if it is negative.
  template <class T>
  __device__ void read(const SolveData<T>& data, std::int64_t row) {
    if (row < 0) return;
    *this = Sources(*reinterpret_cast<const int4*>(data.gather + row));
  }
};

/// Longer lists are added up by a whole warp.
inline constexpr int few_sources = 32;

}  // namespace gpusupernodal::cuda
