#pragma once

/// \file
/// What the sparse products of all formats share: loads, the epilogue of a row, sums of a CTA.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/common/sparse_arrays.hpp"
#include "kernels/cuda/launch_size.cuh"

namespace gpusupernodal::cuda {

/// Columns of x that are multiplied by an entry once it is loaded, at most. With 16, sums of blocks fill the registers, and
/// small matrices have too few threads.
inline constexpr int columns_at_once = 8;

/// Calls launch(std::integral_constant<int, C>, part) for parts of the columns of a product that a CTA takes C at a time:
/// the columns in full groups, then the rest, if any, with the least of 1, 2, 4 and 8 that it fits.
template <class S, class Launch>
void in_column_groups(const ProductVectors<S>& v, const Launch& launch) {
  ProductVectors<S> part = v;
  part.columns = v.columns / columns_at_once * columns_at_once;
  if (part.columns > 0) launch(std::integral_constant<int, columns_at_once>(), part);
  part.x += part.columns * v.ld_x;
  part.y += part.columns * v.ld_y;
  part.columns = v.columns - part.columns;
  if (part.columns == 0) return;
  if (part.columns == 1) return launch(std::integral_constant<int, 1>(), part);
  if (part.columns == 2) return launch(std::integral_constant<int, 2>(), part);
  if (part.columns <= 4) return launch(std::integral_constant<int, 4>(), part);
  launch(std::integral_constant<int, columns_at_once>(), part);
}

/// Calls action(std::integral_constant<int, C>) for each C with which in_column_groups launches.
template <class Action>
void for_column_groups(const Action& action) {
  action(std::integral_constant<int, 1>());
  action(std::integral_constant<int, 2>());
  action(std::integral_constant<int, 4>());
  action(std::integral_constant<int, columns_at_once>());
}

/// Columns of a CTA; blockIdx.y counts groups of them. Columns past the last are replaced by it, and not stored.
template <int Columns>
__device__ inline int column_of(int c, int columns) {
  return min(static_cast<int>(blockIdx.y) * Columns + c, columns - 1);
}

/// y(row, ·) := alpha·sum + beta·y(row, ·); reads y only if beta is not 0. Adds x·y of the row to `dot` if Dot.
template <class S, int Columns, bool Dot>
__device__ inline void store_row(const ProductVectors<S>& v, std::int32_t row, const S (&sum)[Columns], double& dot) {
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    const int column = static_cast<int>(blockIdx.y) * Columns + c;
    if (column >= v.columns) return;
    S* const y = v.y + row + column * v.ld_y;
    const S result = v.beta == S(0) ? v.alpha * sum[c] : v.alpha * sum[c] + v.beta * *y;
    *y = result;
    if (Dot) dot += static_cast<double>(result) * static_cast<double>(__ldg(v.x + row));
  }
}

/// partials[blockIdx.x] := the sum of `dot` over the CTA, in a fixed order. All threads call it.
__device__ inline void store_dot(double dot, double* partials) {
  __shared__ double warps[flat_threads / 32];
  for (int step = 16; step > 0; step /= 2) dot += __shfl_xor_sync(0xffffffffu, dot, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = dot;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0.0;
  for (int w = 0; w < flat_threads / 32; ++w) sum += warps[w];
  partials[blockIdx.x] = sum;
}

/// The grid of a product with groups of `columns` columns.
template <class S>
dim3 product_grid(std::int64_t threads, const ProductVectors<S>& v, int columns) {
  return dim3(static_cast<unsigned>((threads + flat_threads - 1) / flat_threads),
              static_cast<unsigned>((v.columns + columns - 1) / columns));
}

/// CTAs for products with partial sums over `threads` threads.
inline int dot_blocks_of(std::int64_t threads, int most) {
  const std::int64_t blocks = (threads + flat_threads - 1) / flat_threads;
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, most));
}

}  // namespace gpusupernodal::cuda
