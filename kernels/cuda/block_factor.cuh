#pragma once

/// \file
/// Cholesky and inverse of a diagonal block of at most 64 columns in shared memory, by strips of 16: what a column's chain
/// of dependent steps needs stays in one warp's registers, the products between strips go to tensor cores.
/// A block is column-major with leading dimension `stride`, 4 more than a multiple of 8. L ends up in the lower part and
/// L⁻¹ transposed strictly above the diagonal; the diagonal's reciprocals lie apart.

#include <limits>

#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

inline constexpr int strip = 16;
inline constexpr int block_warps = 8;
inline constexpr int block_threads = 32 * block_warps;
/// Leading dimension of the scratch that the inverse takes; it has 32 columns.
inline constexpr int inverse_stride = 36;
inline constexpr int inverse_room = 32 * inverse_stride;

/// 1/x and 1/√x for normal x: the hardware's 20 bits or more and a step of third order, without a branch.
__device__ inline double fast_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double error = fma(-x, y, 1.0);
  return fma(fma(error, error, error), y, y);
}
__device__ inline double fast_rsqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double error = fma(-(x * y), y, 1.0);
  return fma(fma(0.375, error, 0.5) * error, y, y);
}
__device__ inline float fast_reciprocal(float x) { return __frcp_rn(x); }
__device__ inline float fast_rsqrt(float x) { return rsqrtf(x); }

/// What stands for a pivot that is positive, but not good.
template <class T>
inline constexpr T lost_pivot = std::numeric_limits<T>::quiet_NaN();

/// Whether a pivot is positive and finite, and neither it nor its reciprocal so small that it is lost.
__device__ inline bool is_good_pivot(double pivot) { return pivot >= 0x1p-1022 && pivot <= 0x1p1021; }
__device__ inline bool is_good_pivot(float pivot) { return pivot >= 0x1p-126F && pivot <= 0x1p125F; }

/// Factorizes columns first … first+columns−1 (at most 16), which all columns before have updated, and the rows below up
/// to `rows`, at most first + 64. A pivot that is not positive and finite stays on the diagonal as it is, one that is not
/// good for another reason is NaN there, since a positive number would pass for a root; its column becomes zero, so that
/// what follows stays finite. By one warp, rows first+lane and first+lane+32 a lane.
///
/// A column's chain is a shuffle, a reciprocal and two products: the next pivot is computed before the other columns are
/// updated, and roots are taken of all pivots at once in the end. There are always 16 steps, those past `columns` with a
/// pivot of one, because without branches a column's updates run while the next reciprocal is on its way.
template <class T>
__device__ void factor_strip(T* s, int stride, T* reciprocal, int first, int columns, int rows) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T* const entry = s + first * stride + first + lane;
  const bool has_near = first + lane < rows;
  const bool has_far = first + 32 + lane < rows;
  T near[strip], far[strip];
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    near[k] = k < columns && lane >= k && has_near ? entry[k * stride] : T(k >= columns && lane == k);
    far[k] = k < columns && has_far ? entry[k * stride + 32] : T(0);
  }
  T mine = T(0);  // Lane j keeps pivot j.
  T pivot = __shfl_sync(all, near[0], 0);
#pragma unroll
  for (int j = 0; j < strip; ++j) {
    const T inverse = is_good_pivot(pivot) ? fast_reciprocal(pivot) : T(0);
    mine = lane == j ? pivot : mine;
    const T scaled = near[j] * inverse;
    const T scaled_far = far[j] * inverse;
    if (j + 1 < strip) pivot = __shfl_sync(all, near[(j + 1) % strip] - scaled * near[j], j + 1);
#pragma unroll
    for (int k = j + 1; k < strip; ++k) {
      const T other = __shfl_sync(all, near[j], k);
      near[k] -= scaled * other;
      far[k] -= scaled_far * other;
    }
  }
  const T root = is_good_pivot(mine) ? fast_rsqrt(mine) : T(0);
  if (lane < columns) reciprocal[first + lane] = root;
  if (root == T(0) && mine > T(0) && isfinite(mine)) mine = lost_pivot<T>;
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T scale = __shfl_sync(all, root, k);
    const T l = lane == k && scale == T(0) ? mine : near[k] * scale;
    if (k < columns && lane >= k && has_near) entry[k * stride] = l;
    if (k < columns && has_far) entry[k * stride + 32] = far[k] * scale;
  }
  __syncwarp();
}

/// The inverse of a strip's diagonal block, a column a lane. By one warp.
template <class T>
__device__ void invert_strip(T* s, int stride, const T* reciprocal, int first, int columns) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T* const corner = s + first * stride + first;
  T v[strip];
#pragma unroll
  for (int i = 0; i < strip; ++i) v[i] = i == lane ? T(1) : T(0);
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    v[k] *= k < columns ? reciprocal[first + k] : T(0);
#pragma unroll
    for (int i = k + 1; i < strip; ++i) v[i] -= (i < columns ? corner[k * stride + i] : T(0)) * v[k];
  }
  __syncwarp();
#pragma unroll
  for (int i = 1; i < strip; ++i) {
    if (i < columns && lane < i) corner[i * stride + lane] = v[i];
  }
  __syncwarp();
}

/// Which 8×8 tile of a lower triangle has this number, row by row.
__device__ inline int tile_row(int number) {
  int row = 0;
  while ((row + 1) * (row + 2) / 2 <= number) ++row;
  return row;
}

/// A22 −= L21 · L21ᵀ within the block, for the strip of columns that begins at `first`; 8×8 tiles dealt to warps, whose
/// tiles hide each other's latency.
template <class T>
__device__ void update_after_strip(T* s, int stride, int first, int width) {
  constexpr int most = 3;  // Six tiles along the edge at most, 21 in all.
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int begin = first + strip;
  const int tiles = (width - begin + 7) / 8;
  int row[most], col[most];
#pragma unroll
  for (int u = 0; u < most; ++u) {
    const int number = warp + u * block_warps;
    const int r = tile_row(number);
    row[u] = number < tiles * (tiles + 1) / 2 ? begin + 8 * r + group : width;
    col[u] = begin + 8 * (number - r * (r + 1) / 2);
  }
  T sum[most][2] = {};
#pragma unroll
  for (int k = 0; k < strip; k += 4) {
    const T* const column = s + (first + k + quad) * stride;
#pragma unroll
    for (int u = 0; u < most; ++u) {
      const int other = col[u] + group;
      mma_8x8x4(sum[u], row[u] < width ? column[row[u]] : T(0), other < width ? column[other] : T(0));
    }
  }
#pragma unroll
  for (int u = 0; u < most; ++u) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int j = col[u] + 2 * quad + e;
      if (row[u] < width && j <= row[u]) s[j * stride + row[u]] -= sum[u][e];
    }
  }
}

/// Entry (row, col) of the block's inverse, for rows and columns of one diagonal block that is inverted already.
template <class T>
__device__ T inverse_entry(const T* s, int stride, const T* reciprocal, int row, int col) {
  return col < row ? s[row * stride + col] : col == row ? reciprocal[row] : T(0);
}

/// From the inverses X11, X22 of neighbouring blocks of `Half` columns: X21 = −X22 · (L21 · X11). `room` has inverse_room
/// entries. Two barriers.
template <class T, int Half>
__device__ void join_inverses(T* s, int stride, const T* reciprocal, T* room, int width) {
  constexpr int edge = Half / 8;
  constexpr int most = 32 / Half * edge * edge / block_warps;  // Tiles a warp, side by side.
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int left = warp * most / (edge * edge) * 2 * Half;  // All tiles of a warp are of one pair, and of one row.
  const int below = left + Half;
  const int row = below + warp * most / edge % edge * 8 + group;
  const int col = warp * most % edge * 8;
  T sum[most][2] = {};
#pragma unroll
  for (int k = 0; k < Half; k += 4) {
    const int at = left + k + quad;
    const T l = row < width ? s[at * stride + row] : T(0);
#pragma unroll
    for (int u = 0; u < most; ++u) {
      const int to = left + col + 8 * u + group;
      mma_8x8x4(sum[u], l, below < width ? inverse_entry(s, stride, reciprocal, at, to) : T(0));
    }
  }
#pragma unroll
  for (int u = 0; u < most; ++u) {
    T* const to = room + (left / 2 + col + 8 * u + 2 * quad) * inverse_stride + row - below;
    to[0] = sum[u][0];
    to[inverse_stride] = sum[u][1];
    sum[u][0] = sum[u][1] = T(0);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Half; k += 4) {
    const T x = row < width ? inverse_entry(s, stride, reciprocal, row, below + k + quad) : T(0);
#pragma unroll
    for (int u = 0; u < most; ++u) {
      mma_8x8x4(sum[u], x, room[(left / 2 + col + 8 * u + group) * inverse_stride + k + quad]);
    }
  }
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (row < width) {
      s[row * stride + left + col + 8 * u + 2 * quad] = -sum[u][0];
      s[row * stride + left + col + 8 * u + 2 * quad + 1] = -sum[u][1];
    }
  }
  __syncthreads();
}

/// The whole block by a CTA of block_threads. The block must be visible to all threads; it is again when this returns.
template <class T>
__device__ void factor_block(T* s, int stride, T* reciprocal, T* room, int width) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  for (int first = 0; first < width; first += strip) {
    if (warp == 0) factor_strip(s, stride, reciprocal, first, min(strip, width - first), width);
    if (warp == 1 && first > 0) invert_strip(s, stride, reciprocal, first - strip, strip);
    __syncthreads();
    if (first + strip >= width) break;
    update_after_strip(s, stride, first, width);
    __syncthreads();
  }
  const int last = (width - 1) / strip * strip;
  if (warp == 0) invert_strip(s, stride, reciprocal, last, width - last);
  __syncthreads();
  if (width > strip) join_inverses<T, strip>(s, stride, reciprocal, room, width);
  if (width > 2 * strip) join_inverses<T, 2 * strip>(s, stride, reciprocal, room, width);
}

}  // namespace gpusupernodal::cuda
