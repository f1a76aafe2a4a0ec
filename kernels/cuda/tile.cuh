#pragma once

/// \file
/// A warp's share of the product of two operands in shared memory, the building block of every tile kernel.

#include "kernels/common/records.hpp"
#include "kernels/cuda/column_signs.cuh"
#include "kernels/cuda/mma.cuh"

namespace gpusupernodal::cuda {

/// Columns per step of the product.
inline constexpr int tile_step = 8;

/// A thread's position in its warp's part of a tile: rows warp_row + 16·m + 8·h + group, columns warp_col + 8·n +
/// 2·quad + c.
struct TilePlace {
  int warp_row, warp_col, group, quad;

  __device__ TilePlace(int row, int col) : warp_row(row), warp_col(col) {
    const int lane = static_cast<int>(threadIdx.x & 31u);
    group = lane >> 2;
    quad = lane & 3;
  }
  __device__ int row(int m, int h) const { return warp_row + 16 * m + 8 * h + group; }
  __device__ int col(int n, int c) const { return warp_col + 8 * n + 2 * quad + c; }
};

/// The type of TileSums in a struct: nvcc of CUDA 12.4 ends with an internal error if the alias itself names an array.
template <class T, int M>
struct TileSumsOf {
  using Type = T[M][4][4];
};

/// A warp's part: 16·M rows × 32 columns. acc[m][n][2h+c] belongs to (row(m, h), col(n, c)).
template <class T, int M = 2>
using TileSums = typename TileSumsOf<T, M>::Type;

/// Computes acc += A · S · Bᵀ over 8 columns by multiply-adds; a and b are column-major with leading dimension `stride`, and
/// `signs` has the signs of the columns. `Adjoint`: A · S · Bᴴ.
template <bool Adjoint, class T, int M, class Signs>
__device__ void multiply_by_fma(const T* a, const T* b, int stride, const TilePlace& p, T (&acc)[M][4][4],
                                const Signs& signs) {
#pragma unroll
  for (int k = 0; k < tile_step; ++k) {
    T ra[M][2], rb[4][2];
#pragma unroll
    for (int m = 0; m < M; ++m) {
      for (int h = 0; h < 2; ++h) ra[m][h] = signs(a[k * stride + p.row(m, h)], k);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      for (int c = 0; c < 2; ++c) rb[n][c] = conjugate_if<Adjoint>(b[k * stride + p.col(n, c)]);
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) add_product(acc[m][n][e], ra[m][e / 2], rb[n][e % 2]);
      }
    }
  }
}

#if GPUSUPERNODAL_TENSOR_CORES
/// Computes acc += A · S · Bᵀ, or with Bᴴ, over 8 columns on tensor cores. Fragment a has rows group, group+8 and columns
/// quad, quad+4; fragment b has columns quad, quad+4 of row group.
template <bool Adjoint = true, class T, int M, class Signs = NoSigns>
__device__ void multiply_step(const T* a, const T* b, int stride, const TilePlace& p, T (&acc)[M][4][4],
                              const Signs& signs = {}) {
  using Entry = typename Fragment<T>::Entry;
  Entry fa[M][4], fb[4][2];
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int k = p.quad + 4 * (e / 2);
      fa[m][e] = Entry(signs(a[k * stride + p.row(m, e % 2)], k));
    }
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
      fb[n][e] = Entry(conjugate_if<Adjoint>(b[(p.quad + 4 * e) * stride + p.warp_col + 8 * n + p.group]));
  }
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int n = 0; n < 4; ++n) mma_16x8x8(acc[m][n], fa[m], fb[n]);
  }
}
#else
template <bool Adjoint = true, class T, int M, class Signs = NoSigns>
__device__ void multiply_step(const T* a, const T* b, int stride, const TilePlace& p, T (&acc)[M][4][4],
                              const Signs& signs = {}) {
  multiply_by_fma<Adjoint>(a, b, stride, p, acc, signs);
}
#endif

}  // namespace gpusupernodal::cuda
