#pragma once

/// \file
/// Cholesky and inverse of a diagonal block of at most 64 columns in shared memory, by strips of 16: what a column's chain
/// of dependent steps needs stays in the registers of warps, a row a lane; the products between strips go to tensor cores.
/// A block is column-major with leading dimension `stride`, 4 more than a multiple of 8. L ends up in the lower part and
/// L⁻¹ transposed strictly above the diagonal; the diagonal's reciprocals lie apart.
///
/// The inverse costs no steps of its own: rows of the unit matrix, eliminated like rows below the block, become L⁻ᵀ, and
/// row r of it lies where row r of the block has zeros before. So all rows but the strip's own are treated alike.

#include <limits>

#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/tasks.hpp"

namespace gpusupernodal::cuda {

inline constexpr int strip = 16;
inline constexpr int block_warps = 8;
inline constexpr int block_threads = 32 * block_warps;
/// Scratch of a warp that factorizes a strip, and of a block.
inline constexpr int strip_room = strip * strip;
inline constexpr int block_room = tile_size / strip * strip_room;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// A number that is the same in all lanes, as one that the compiler knows to be. What depends on it is no divergent code
/// then; in that every shuffle would be a block of its own, which nothing is moved across.
__device__ inline int uniform(int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, value);
#else
  return __shfl_sync(all_lanes, value, 0);
#endif
}
__device__ inline int warp_number() { return uniform(static_cast<int>(threadIdx.x / 32u)); }

/// Whether a pivot is positive and finite, and neither it nor its reciprocal so small that it is lost: from 2⁻¹⁰²² to
/// 2¹⁰²¹, from 2⁻¹²⁶ to 2¹²⁵. Bits of positive numbers order as integers do.
__device__ inline bool is_good_pivot(double pivot) {
  return static_cast<unsigned>(__double2hiint(pivot)) - 0x00100000u < 0x7fc00000u - 0x00100000u;
}
__device__ inline bool is_good_pivot(float pivot) { return __float_as_uint(pivot) - 0x00800000u < 0x7e000000u - 0x00800000u; }

/// 1/x of a good pivot, 0 of another: the hardware's 20 bits or more and a step of third order, without a branch.
__device__ inline double pivot_reciprocal(double pivot) {
  const bool good = is_good_pivot(pivot);
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(pivot));
  y = good ? y : 0.0;
  const double error = fma(good ? -pivot : 0.0, y, 1.0);
  return fma(fma(error, error, error), y, y);
}
__device__ inline float pivot_reciprocal(float pivot) {
  const bool good = is_good_pivot(pivot);
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(pivot));
  y = good ? y : 0.0F;
  return fmaf(fmaf(good ? -pivot : 0.0F, y, 1.0F), y, y);
}

/// 1/√x for good x, to rounding.
__device__ inline double fast_rsqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double error = fma(-(x * y), y, 1.0);
  return fma(fma(0.375, error, 0.5) * error, y, y);
}
__device__ inline float fast_rsqrt(float x) { return rsqrtf(x); }

/// What stands for a pivot that is positive, but not good.
template <class T>
inline constexpr T lost_pivot = std::numeric_limits<T>::quiet_NaN();

__device__ inline void load_pair(const double* from, double& first, double& second) {
  const double2 pair = *reinterpret_cast<const double2*>(from);
  first = pair.x;
  second = pair.y;
}
__device__ inline void load_pair(const float* from, float& first, float& second) {
  const float2 pair = *reinterpret_cast<const float2*>(from);
  first = pair.x;
  second = pair.y;
}

/// Eliminates 16 columns from rows that lie in registers, `Sets` a lane; set 0 of lanes 0 … 15 is the diagonal block. What
/// is left of column k is row[…][k] = l·√pivot. Returns pivot `lane` in lanes 0 … 15. By one warp; `room` has strip_room
/// entries.
///
/// A column's chain is a reciprocal and two products: every lane computes the next pivot by itself, from two entries that
/// came by shuffle while the reciprocal was on its way. The other entries of the column, which all rows are multiplied
/// with, go through shared memory.
template <int Sets, class T>
__device__ T eliminate(T (&row)[Sets][strip], T* room) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T mine = T(0);
  T pivot = __shfl_sync(all_lanes, row[0][0], 0);
#pragma unroll
  for (int j = 0; j < strip; ++j) {
    T* const column = room + j * strip;
    T other[strip];
    if (j + 2 < strip) {
      if (lane < strip) column[lane] = row[0][j];
      __syncwarp();
#pragma unroll
      for (int k = (j + 2) / 2 * 2; k < strip; k += 2) load_pair(column + k, other[k], other[k + 1]);
    }
    const T next = __shfl_sync(all_lanes, row[0][j], (j + 1) % strip);
    const T diagonal = __shfl_sync(all_lanes, row[0][(j + 1) % strip], (j + 1) % strip);
    const T inverse = pivot_reciprocal(pivot);
    mine = lane == j ? pivot : mine;
    if (j + 1 == strip) break;
    pivot = diagonal - (next * inverse) * next;
    T scaled[Sets];
#pragma unroll
    for (int set = 0; set < Sets; ++set) {
      scaled[set] = row[set][j] * inverse;
      row[set][(j + 1) % strip] -= scaled[set] * next;
    }
#pragma unroll
    for (int k = j + 2; k < strip; ++k) {
#pragma unroll
      for (int set = 0; set < Sets; ++set) row[set][k] -= scaled[set] * other[k];
    }
  }
  return mine;
}

/// What follows from the pivots that eliminate() left: root[k] = 1/√pivot k in all lanes, 0 where it is not good. Returns
/// what stands for L's entry on the diagonal in lanes 0 … 15 where the root is 0: the pivot, or NaN for one that would
/// pass for a root.
template <class T>
__device__ T take_roots(T pivot, T* room, T (&root)[strip]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  __syncwarp();
  if (lane < strip) room[lane] = is_good_pivot(pivot) ? fast_rsqrt(pivot) : T(0);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < strip; k += 2) load_pair(room + k, root[k], root[k + 1]);
  return pivot > T(0) && isfinite(pivot) ? lost_pivot<T> : pivot;
}

/// A front of one strip: columns first … columns−1 and `rows` rows, at most 64, with the inverse. By one warp. A pivot
/// that is not positive and finite stays on the diagonal as it is, one that is not good for another reason is NaN there,
/// since a positive number would pass for a root; its column becomes zero, so that what follows stays finite. There are
/// always 16 steps, those past `columns` with a pivot of one.
template <class T>
__device__ void factor_single_strip(T* s, int stride, T* reciprocal, T* room, int columns, int rows) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const bool has_near = lane < rows;
  const bool has_far = lane + 32 < rows;
  T row[3][strip];  // Rows `lane`, `lane` + 32, and row `lane` of the unit matrix.
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T near = k < columns && has_near ? s[k * stride + lane] : T(0);
    const T unit = lane == k ? T(1) : T(0);
    row[0][k] = k >= columns ? unit : lane >= k ? near : T(0);
    row[1][k] = k < columns && has_far ? s[k * stride + lane + 32] : T(0);
    row[2][k] = unit;
  }
  T root[strip];
  const T pivot = eliminate(row, room);
  const T failed = take_roots(pivot, room, root);
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    if (k >= columns) break;
    if (lane == k) reciprocal[k] = root[k];
    const T l = lane == k && root[k] == T(0) ? failed : row[0][k] * root[k];
    if (lane < k || has_near) s[k * stride + lane] = lane < k ? row[2][k] * root[k] : l;
    if (has_far) s[k * stride + lane + 32] = row[1][k] * root[k];
  }
  __syncwarp();
}

/// Factorizes columns first … first+15 of a block of `width`, which all columns before have updated, with the rows below
/// and those of the inverse. By as many warps as the block has strips: each has the strip's own rows in lanes 0 … 15, and 16
/// other rows in the rest; one has rows of the unit matrix. Pivots that fail are treated as in factor_single_strip.
template <class T>
__device__ void factor_strip(T* s, int stride, T* reciprocal, T* room, int warp, int first, int width) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int strips = (width + strip - 1) / strip;
  const int columns = min(strip, width - first);
  const int number = first / strip + warp;
  const int part = (number < strips ? number : number - strips) * strip;
  const bool own = lane < strip;
  const int r = lane % strip;
  const int at = (own ? first : part) + r;
  const bool inside = at < width;
  T* const entry = s + first * stride + at;
  T row[1][strip];
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    const T stored = k < columns && inside ? entry[k * stride] : T(0);
    const T unit = r == k ? T(1) : T(0);
    row[0][k] = own ? (k >= columns ? unit : r >= k ? stored : T(0)) : warp == 0 ? unit : stored;
  }
  T root[strip];
  T* const scratch = room + warp * strip_room;
  const T pivot = eliminate(row, scratch);
  const T failed = take_roots(pivot, scratch, root);
  // The strip's own rows have been read by all.
  asm volatile("bar.sync 1, %0;" ::"r"(32 * strips) : "memory");
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    if (k >= columns) break;
    if (warp == 0 && lane == k) reciprocal[first + k] = root[k];
    const bool mine = warp == 0 ? own == (r >= k) : !own;
    const T l = own && r == k && root[k] == T(0) ? failed : row[0][k] * root[k];
    if (mine && inside) entry[k * stride] = l;
  }
}

/// sum += A · Bᵀ for a tile of 16×8 and 16 columns; a(row, k) and b(row, k) read operands. Lane holds rows group, group + 8
/// and columns 2·quad, 2·quad + 1. By one warp.
template <class T, class A, class B>
__device__ void multiply_tile(T (&sum)[4], const A& a, const B& b) {
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
#if GPUSUPERNODAL_TENSOR_CORES
  constexpr bool by_tensor_cores = sizeof(T) == sizeof(double);
#else
  constexpr bool by_tensor_cores = false;
#endif
  if constexpr (by_tensor_cores) {
#pragma unroll
    for (int k = quad; k < strip + quad; k += 8) {
      const T left[4] = {a(group, k), a(group + 8, k), a(group, k + 4), a(group + 8, k + 4)};
      const T right[2] = {b(group, k), b(group, k + 4)};
      mma_16x8x8(sum, left, right);
    }
  } else {
#pragma unroll
    for (int k = 0; k < strip; ++k) {
      const T left[2] = {a(group, k), a(group + 8, k)};
      const T right[2] = {b(2 * quad, k), b(2 * quad + 1, k)};
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[e] += left[e / 2] * right[e % 2];
    }
  }
}

/// Keeps what computes the values from moving to where only some lanes of a warp go.
__device__ inline void compute_here(double (&v)[4]) { asm volatile("" : "+d"(v[0]), "+d"(v[1]), "+d"(v[2]), "+d"(v[3])); }
__device__ inline void compute_here(float (&v)[4]) { asm volatile("" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])); }

/// A tile of what a strip changes after it: 16 rows, 8 columns.
struct StripTile {
  int row, col;

  /// Number 2·p + half, p counting first the squares above the strips' diagonal, of which each column strip after strip q has
  /// q + 1, then those of the lower triangle.
  __device__ StripTile(int number, int q, int after) {
    const int square = number / 2;
    const int above = after * (q + 1);
    const int rest = square - above;
    const int edge = rest < 1 ? 0 : rest < 3 ? 1 : 2;
    const int upper_col = square >> q;  // square / (q + 1), where `above` is 3, 4 or 3.
    const int row_strip = square < above ? square - upper_col * (q + 1) : q + 1 + edge;
    const int col_strip = q + 1 + (square < above ? upper_col : rest - edge * (edge + 1) / 2);
    row = row_strip * strip;
    col = col_strip * strip + number % 2 * 8;
  }
};

/// What the strip of columns that begins at `first` subtracts from the columns after it: rows below, and rows of the inverse.
/// Tiles are dealt to warps, whose tiles hide each other's latency.
template <class T>
__device__ void update_after_strip(T* s, int stride, const T* reciprocal, int warp, int first, int width) {
  constexpr int most = 3;  // 18 tiles at most.
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int q = first / strip;
  const int after = (width + strip - 1) / strip - 1 - q;
  const int tiles = 2 * after * (q + 1) + after * (after + 1);
  T sum[most][4] = {};
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (warp + u * block_warps >= tiles) break;
    const StripTile tile(warp + u * block_warps, q, after);
    const auto left = [&](int r, int k) {
      const int row = tile.row + r;
      const T entry = row < width ? s[(first + k) * stride + row] : T(0);
      if (tile.row != first || row < first + k) return entry;
      return row == first + k ? reciprocal[row] : T(0);
    };
    const auto right = [&](int c, int k) { return tile.col + c < width ? s[(first + k) * stride + tile.col + c] : T(0); };
    multiply_tile(sum[u], left, right);
    compute_here(sum[u]);
  }
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (warp + u * block_warps >= tiles) break;
    const StripTile tile(warp + u * block_warps, q, after);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = tile.row + group + e / 2 * 8;
      const int j = tile.col + 2 * quad + e % 2;
      if (i < width && j < width && (tile.row <= first || i >= j)) s[j * stride + i] -= sum[u][e];
    }
  }
}

/// Entry (row, col) of the block's inverse.
template <class T>
__device__ T inverse_entry(const T* s, int stride, const T* reciprocal, int row, int col) {
  return col < row ? s[row * stride + col] : col == row ? reciprocal[row] : T(0);
}

/// The whole block by a CTA of block_threads. Above the diagonal it must be zero, and it must be visible to all threads; it
/// is again when this returns. `room` has block_room entries.
template <class T>
__device__ void factor_block(T* s, int stride, T* reciprocal, T* room, int width) {
  const int warp = warp_number();
  width = uniform(width);
  const int strips = (width + strip - 1) / strip;
  for (int first = 0; first < width; first += strip) {
    if (warp < strips) factor_strip(s, stride, reciprocal, room, warp, first, width);
    __syncthreads();
    if (first + strip >= width) break;
    update_after_strip(s, stride, reciprocal, warp, first, width);
    __syncthreads();
  }
}

}  // namespace gpusupernodal::cuda
