#pragma once

/// \file
/// Products with slices of blocks (Slice): one kernel for SELL, ELL and block formats.

#include <cstdint>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "kernels/cuda/spmv_loads.cuh"
#include "kernels/cuda/spmv_rows.cuh"

namespace gpusupernodal::cuda {

/// What one lane reads in a slice.
template <class S, int B, int Columns>
struct SliceLane {
  const S* x[Columns];
  const S* values;  ///< Values of its first step.
  std::int32_t steps;
  std::uint64_t policy;

  /// Adds step k, whose block lies in block column j.
  __device__ void add(std::int32_t k, std::int32_t j, S (&sum)[B][Columns]) const {
    const S* const block = values + static_cast<std::int64_t>(k) * (B * B * slice_lanes);
    S entry[B][B];
#pragma unroll
    for (int r = 0; r < B; ++r) {
#pragma unroll
      for (int c = 0; c < B; ++c) entry[r][c] = load_matrix(block + (r * B + c) * slice_lanes, policy);
    }
#pragma unroll
    for (int c = 0; c < B; ++c) {
#pragma unroll
      for (int column = 0; column < Columns; ++column) {
        const S factor = __ldg(x[column] + static_cast<std::int64_t>(j) * B + c);
#pragma unroll
        for (int r = 0; r < B; ++r) sum[r][column] += entry[r][c] * factor;
      }
    }
  }

  /// Adds steps first … first + N − 1, as far as there are so many. All loads of matrix data are issued before any is used,
  /// so that short rows wait for memory twice and not once a step.
  template <int N>
  __device__ void add_steps(std::int32_t first, const std::int32_t (&column)[N], S (&sum)[B][Columns]) const {
    if constexpr (B > 1) {
#pragma unroll
      for (int u = 0; u < N; ++u) {
        if (first + u < steps) add(first + u, column[u], sum);
      }
    } else {
      S entry[N];
#pragma unroll
      for (int u = 0; u < N; ++u) {
        const std::int64_t at = static_cast<std::int64_t>(first + u) * slice_lanes;
        entry[u] = first + u < steps ? load_matrix(values + at, policy) : S(0);
      }
#pragma unroll
      for (int u = 0; u < N; ++u) {
        if (first + u >= steps) continue;
#pragma unroll
        for (int c = 0; c < Columns; ++c) sum[0][c] += entry[u] * __ldg(x[c] + column[u]);
      }
    }
  }

  static constexpr int steps_at_once = B == 1 ? 8 : B <= 3 ? 2 : 1;

  __device__ void add_narrow(const std::uint16_t* delta, std::int32_t j, S (&sum)[B][Columns]) const {
    for (std::int32_t k = 0; k < steps; k += steps_at_once) {
      std::int32_t column[steps_at_once];
#pragma unroll
      for (int u = 0; u < steps_at_once; ++u) {
        const std::int64_t at = static_cast<std::int64_t>(k + u) * slice_lanes;
        column[u] = k + u < steps ? load_matrix(delta + at, policy) : 0;
      }
#pragma unroll
      for (int u = 0; u < steps_at_once; ++u) column[u] = j += column[u];
      add_steps<steps_at_once>(k, column, sum);
    }
  }

  __device__ void add_wide(const std::int32_t* columns, S (&sum)[B][Columns]) const {
    for (std::int32_t k = 0; k < steps; k += steps_at_once) {
      std::int32_t column[steps_at_once];
#pragma unroll
      for (int u = 0; u < steps_at_once; ++u) {
        const std::int64_t at = static_cast<std::int64_t>(k + u) * slice_lanes;
        column[u] = k + u < steps ? load_matrix(columns + at, policy) : 0;
      }
      add_steps<steps_at_once>(k, column, sum);
    }
  }
};

/// A warp takes a slice.
template <class S, int B, int Columns, bool Dot>
__global__ void __launch_bounds__(flat_threads) sell_kernel(SparseArrays<S> a, ProductVectors<S> v) {
  const int lane = static_cast<int>(threadIdx.x) % slice_lanes;
  const int rows_of_slice = slice_lanes / a.width;
  SliceLane<S, B, Columns> mine;
  mine.policy = matrix_policy(a.streamed);
#pragma unroll
  for (int c = 0; c < Columns; ++c) mine.x[c] = v.x + column_of<Columns>(c, v.columns) * v.ld_x;
  double dot = 0.0;
  for (std::int64_t s = flat_index() / slice_lanes; s < a.units; s += flat_step() / slice_lanes) {
    const int4 head = __ldg(reinterpret_cast<const int4*>(a.index) + s);  // A Slice.
    S sum[B][Columns] = {};
    mine.values = a.values + static_cast<std::int64_t>(head.x) * (B * B * slice_lanes) + lane;
    mine.steps = head.y - head.x;
    if (head.w >= 0) {
      mine.add_narrow(a.delta + std::int64_t{slice_lanes} * head.w + lane, head.z, sum);
    } else {
      const std::uint16_t* const wide = a.delta + std::int64_t{slice_lanes} * ~head.w;
      mine.add_wide(reinterpret_cast<const std::int32_t*>(wide) + lane, sum);
    }
    for (int step = rows_of_slice; step < slice_lanes; step *= 2) {
#pragma unroll
      for (int r = 0; r < B; ++r) {
#pragma unroll
        for (int c = 0; c < Columns; ++c) sum[r][c] += __shfl_xor_sync(0xffffffffu, sum[r][c], step);
      }
    }
    const std::int64_t position = s * rows_of_slice + lane;
    if (lane >= rows_of_slice || position * B >= a.rows) continue;
    const std::int32_t row = B * (a.order != nullptr ? __ldg(a.order + position) : static_cast<std::int32_t>(position));
#pragma unroll
    for (int r = 0; r < B; ++r) store_row<S, Columns, Dot>(v, row + r, sum[r], dot);
  }
  if (Dot) store_dot(dot, v.partials);
}

template <class S, int B>
void launch_sell(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  const std::int64_t threads = std::int64_t{slice_lanes} * a.units;
  if (v.partials != nullptr) {
    const int blocks = sell_dot_blocks(a);
    sell_kernel<S, B, 1, true><<<static_cast<unsigned>(blocks), flat_threads, 0, stream>>>(a, v);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("sell_product");
    return;
  }
  in_column_groups(v, [&](auto columns, const ProductVectors<S>& part) {
    const dim3 grid = product_grid(threads, part, columns.value);
    sell_kernel<S, B, columns.value, false><<<grid, flat_threads, 0, stream>>>(a, part);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("sell_product");
  });
}

template <class S, int B>
void load_sell() {
  load_kernels(sell_kernel<S, B, 1, true>);
  for_column_groups([](auto columns) { load_kernels(sell_kernel<S, B, columns.value, false>); });
}

}  // namespace gpusupernodal::cuda
