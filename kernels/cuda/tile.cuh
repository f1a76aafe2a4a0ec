#pragma once

/// \file
/// The product of two 64-row operands in shared memory by a CTA of four warps: what every tile kernel is made of.

#include <cstdint>

#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

inline constexpr int tile_threads = 128;
/// Leading dimension of a 64-row operand in shared memory: 4 more than 64, so that the fragment loads of the tensor cores
/// (8 rows × 4 columns a half warp of doubles) touch every bank once.
inline constexpr int tile_stride = tile_size + 4;
/// Columns that one step of the product consumes.
inline constexpr int tile_step = 8;

/// A thread's place: the warps cover the tile 2 × 2, 32×32 each; a thread holds 4 rows × 8 columns of it.
/// Fragments are those of mma.m16n8: rows group, group+8 of each 16; columns 2·quad, 2·quad+1 of each 8.
struct TilePlace {
  int warp_row, warp_col, group, quad;

  __device__ TilePlace() {
    const int warp = static_cast<int>(threadIdx.x / 32u);
    const int lane = static_cast<int>(threadIdx.x & 31u);
    warp_row = 32 * (warp & 1);
    warp_col = 32 * (warp >> 1);
    group = lane >> 2;
    quad = lane & 3;
  }
  __device__ int row(int m, int h) const { return warp_row + 16 * m + 8 * h + group; }
  __device__ int col(int n, int c) const { return warp_col + 8 * n + 2 * quad + c; }
};

/// acc[m][n][2h+c] belongs to (row(m, h), col(n, c)).
template <class T>
using TileSums = T[2][4][4];

/// acc += A(64×8) · B(64×8)ᵀ by multiply-adds; a and b are column-major with stride tile_stride.
template <class T>
__device__ void multiply_step(const T* a, const T* b, const TilePlace& p, TileSums<T>& acc) {
#pragma unroll
  for (int k = 0; k < tile_step; ++k) {
    T ra[2][2], rb[4][2];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      for (int h = 0; h < 2; ++h) ra[m][h] = a[k * tile_stride + p.row(m, h)];
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      for (int c = 0; c < 2; ++c) rb[n][c] = b[k * tile_stride + p.col(n, c)];
    }
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) acc[m][n][e] += ra[m][e / 2] * rb[n][e % 2];
      }
    }
  }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(GPUSUPERNODAL_NO_TENSOR_CORES)
/// c += a · b of FP64 tensor cores, a 16×8, b 8×8: m16n8k8 where there is one (compute capability 9.0), else four m8n8k4.
__device__ inline void mma_16x8x8(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  for (int k = 0; k < 2; ++k) {
    for (int h = 0; h < 2; ++h) {
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
                   : "d"(a[2 * k + h]), "d"(b[k]));
    }
  }
#endif
}

/// The same in double precision by tensor cores. Fragment a: rows group, group+8 by columns quad, quad+4; b: columns quad,
/// quad+4 of row group. 16 loads of 8 bytes a lane feed 8 products of 16×8×8.
template <>
__device__ inline void multiply_step<double>(const double* a, const double* b, const TilePlace& p, TileSums<double>& acc) {
  double fa[2][4], fb[4][2];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int e = 0; e < 4; ++e) fa[m][e] = a[(p.quad + 4 * (e / 2)) * tile_stride + p.row(m, e % 2)];
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) fb[n][e] = b[(p.quad + 4 * e) * tile_stride + p.warp_col + 8 * n + p.group];
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int n = 0; n < 4; ++n) mma_16x8x8(acc[m][n], fa[m], fb[n]);
  }
}
#endif

}  // namespace gpusupernodal::cuda
