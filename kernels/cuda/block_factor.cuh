#pragma once

/// \file
/// Cholesky or LDLᵀ factor and inverse of a diagonal block of at most 64 columns in shared memory, strip by strip
/// (strip_factor.cuh). In double precision, tensor cores compute the products between strips. While a strip is
/// factorized, idle warps apply the preceding strip's update to the columns after it.

#include "kernels/common/scalar_traits.hpp"
#include "kernels/cuda/column_signs.cuh"
#include "kernels/cuda/strip_factor.cuh"

namespace gpusupernodal::cuda {

/// CTAs per multiprocessor that factorize blocks; registers limit them.
template <class T>
inline constexpr int block_ctas = ScalarTraits<T>::bytes == 4 ? 3 : (ScalarTraits<T>::bytes == 8 ? 2 : 1);

/// Whether tensor cores compute the products between strips: in double precision, if the device has FP64 tensor cores.
#if GPUSUPERNODAL_TENSOR_CORES
template <class T>
inline constexpr bool strips_by_tensor_cores = !ScalarTraits<T>::is_single;
#else
template <class T>
inline constexpr bool strips_by_tensor_cores = false;
#endif

/// Computes sum += A · Bᵀ for a 16×8 tile over 16 columns, by one warp; a(row, k) and b(row, k) read the operands. Each
/// lane holds rows group, group + 8 and columns 2·quad, 2·quad + 1.
template <class T, class A, class B>
__device__ void multiply_tile(T (&sum)[4], const A& a, const B& b) {
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
#pragma unroll
  for (int k = quad; k < strip + quad; k += 8) {
    const T left[4] = {a(group, k), a(group + 8, k), a(group, k + 4), a(group + 8, k + 4)};
    const T right[2] = {b(group, k), b(group, k + 4)};
    mma_16x8x8(sum, left, right);
  }
}

/// Keeps the compiler from moving the computation of the values into code that only some lanes execute.
__device__ inline void compute_here(double (&v)[4]) { asm volatile("" : "+d"(v[0]), "+d"(v[1]), "+d"(v[2]), "+d"(v[3])); }
__device__ inline void compute_here(float (&v)[4]) { asm volatile("" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])); }
template <class R>
__device__ void compute_here(Complex<R> (&v)[4]) {
  R re[4] = {v[0].re, v[1].re, v[2].re, v[3].re}, im[4] = {v[0].im, v[1].im, v[2].im, v[3].im};
  compute_here(re);
  compute_here(im);
#pragma unroll
  for (int e = 0; e < 4; ++e) v[e] = {re[e], im[e]};
}

/// update_tile by multiply-adds. Each lane has two adjacent rows and two adjacent columns, so that all loads are of
/// pairs.
template <bool Signed, bool Adjoint, class T>
__device__ void update_by_fma(T* s, const T* right, int stride, const T* left, int left_stride, int last, int first, int row,
                              int col, int width) {
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int i = row + 2 * group;
  const int j = col + 2 * quad;
  const T* const a = left + min(2 * group, last / 2 * 2);
  const T* const b = right + first * stride + min(j, (width - 1) / 2 * 2);
  const auto signs = column_signs<Signed>(s + first * (stride + 1), stride + 1);
  T sum[2][2] = {};
#pragma unroll
  for (int k = 0; k < strip; ++k) {
    T rows[2], columns[2];
    load_pair(a + k * left_stride, rows[0], rows[1]);
    load_pair(b + k * stride, columns[0], columns[1]);
    if (Signed && row > first) {
      rows[0] = signs(rows[0], k);
      rows[1] = signs(rows[1], k);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) add_product(sum[e % 2][e / 2], rows[e / 2], conjugate_if<Adjoint>(columns[e % 2]));
  }
#pragma unroll
  for (int c = 0; c < 2; ++c) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (i + h < width && j + c < width && (i + h >= j + c || row <= first)) s[(j + c) * stride + i + h] -= sum[c][h];
    }
  }
}

/// Subtracts the update of the strip that begins at `first` from a later tile of 16 rows and 8 columns, by one warp.
/// The rows are rows below the strip or rows of the inverse. `right` is the square that has the columns' multipliers: for
/// a Cholesky factorization, the square itself. `Signed`: the diagonal has the signs of LDLᵀ; W⁻ᵀ, which lies above it,
/// satisfies W⁻ᵀ·Wᵀ = I, so rows of the inverse are multiplied without signs. `Adjoint`: the multipliers are conjugated.
template <class T, bool Signed, bool Adjoint>
__device__ void update_tile(T* s, const T* right, int stride, const T* inverse, int first, int row, int col, int width) {
  const bool unit = row == first;
  const T* const column = right + first * stride;
  const T* const left = unit ? inverse : s + first * stride + row;
  const int left_stride = unit ? inverse_stride : stride;
  const int last = unit ? strip - 1 : width - 1 - row;  // Rows and columns past the block are replaced by its last ones.
  if constexpr (strips_by_tensor_cores<T>) {
    const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
    const int quad = static_cast<int>(threadIdx.x & 3u);
    const auto signs = column_signs<Signed>(s + first * (stride + 1), stride + 1);
    T sum[4];
    bool valid[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = row + group + e / 2 * 8;
      const int j = col + 2 * quad + e % 2;
      valid[e] = i < width && j < width && (i >= j || row <= first);
      sum[e] = valid[e] ? s[j * stride + i] : T(0);
    }
    multiply_tile(
        sum,
        [&](int r, int k) {
          const T entry = left[k * left_stride + min(r, last)];
          return -(Signed && row > first ? signs(entry, k) : entry);
        },
        [&](int c, int k) { return conjugate_if<Adjoint>(column[k * stride + min(col + c, width - 1)]); });
    compute_here(sum);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (valid[e]) s[(col + 2 * quad + e % 2) * stride + row + group + e / 2 * 8] = sum[e];
    }
  } else {
    update_by_fma<Signed, Adjoint>(s, right, stride, left, left_stride, last, first, row, col, width);
  }
}

/// Applies the update of the strip that begins at `first` to the next strip, one tile per warp.
template <class Pivots, class T>
__device__ void update_next(T* s, int stride, const T* inverse, int warp, int first, int width) {
  const int row = warp / 2 * strip;
  const int col = first + strip + warp % 2 * 8;
  if (row < width && col < width)
    update_tile<T, Pivots::is_signed, Pivots::is_adjoint>(s, s, stride, inverse, first, row, col, width);
}

/// Applies the update of the strip that begins at `first` to the strips after the next one, by the upper half of the
/// warps while the lower half factorizes the next strip.
template <class Pivots, class T>
__device__ void update_others(T* s, int stride, const T* inverse, int warp, int first, int width) {
  int number = 0;
  for (int col = first + 2 * strip; col < width; col += 8) {
    for (int row = 0; row < width; row += strip) {
      if (row > first && row + strip <= col) continue;  // These rows of the inverse are still zero.
      if (number++ % (block_warps / 2) == warp - block_warps / 2) {
        update_tile<T, Pivots::is_signed, Pivots::is_adjoint>(s, s, stride, inverse, first, row, col, width);
      }
    }
  }
}

/// Returns entry (row, col) of the block's inverse.
template <class T>
__device__ T inverse_entry(const T* s, int stride, const T* reciprocal, int row, int col) {
  return col < row ? s[row * stride + col] : col == row ? reciprocal[row] : T(0);
}

/// Factorizes the whole block by a CTA of block_threads threads. Precondition: entries above the diagonal are zero, and
/// all threads can see the block; on return all threads can see the result. `shared_memory` has block_memory entries.
template <class T, class Pivots>
__device__ void factor_block(T* s, int stride, T* reciprocal, T* shared_memory, int width, const Pivots& pivots) {
  const int warp = warp_number();
  width = uniform(width);
  T* const inverses = shared_memory + tile_size / strip * strip_memory;
  for (int first = 0; first < width; first += strip) {
    const StripPlace place(warp, first, width);
    const bool has_strip = warp * strip < width;
    T* const inverse = inverses + first / strip % 2 * inverse_memory;
    T* const before = inverses + (first / strip + 1) % 2 * inverse_memory;
    StripRows<T, typename Pivots::Value> rows;
    if (has_strip) {
      factor_strip(rows, s, stride, shared_memory, place, warp, first, pivots);
    } else if (first > 0 && warp >= block_warps / 2) {
      update_others<Pivots>(s, stride, before, warp, first - strip, width);
    }
    __syncthreads();
    if (has_strip) store_strip(rows, s, stride, reciprocal, inverse, place, warp, first, pivots);
    __syncthreads();
    if (first + strip >= width) break;
    update_next<Pivots>(s, stride, inverse, warp, first, width);
    __syncthreads();
  }
}

}  // namespace gpusupernodal::cuda
