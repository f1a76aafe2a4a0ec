#pragma once

/// \file
/// Solves for rows below a factorized diagonal block in shared memory: products with its inverse, corrected where the
/// inverse is so large that they would lose digits.

#include "kernels/cuda/block_factor.cuh"

namespace gpusupernodal::cuda {

/// Maximum ratio of the terms of a product with the inverse to the result; beyond it the product is corrected.
template <class T>
inline constexpr T max_growth = T(100);

/// Whether products with the block's inverse could lose more digits than substitution: the terms are as large as the
/// entries of row i of L times those of column i of L⁻¹. Each thread passes the largest entry of either that it has
/// seen, for row i = threadIdx.x % 64. Run it by a CTA of block_threads threads; `shared_memory` has as many entries.
/// Contains two barriers; all threads get the result.
template <class T>
__device__ bool inverse_grows(T row, T column, T* shared_memory) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  shared_memory[threadIdx.x] = row;
  __syncthreads();
#pragma unroll
  for (int p = 0; p < block_threads / tile_size; ++p) row = max(row, shared_memory[p * tile_size + i]);
  return __syncthreads_or(row * column > max_growth<T>) != 0;
}

/// inverse_grows() for a block in shared memory. `Signed`: entries of the diagonal may be negative. `Adjoint`: they are
/// real.
template <bool Signed, bool Adjoint, class T>
__device__ bool inverse_grows(const T* s, int stride, const T* reciprocal, T* scratch, int width) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  Real<T> row = Real<T>(0), column = i < width ? ScalarTraits<T>::real(reciprocal[i]) : Real<T>(0);
  if constexpr (Signed) column = fabs(column);
  if constexpr (!Adjoint) column = i < width ? magnitude_bound(reciprocal[i]) : Real<T>(0);
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < width && i < width; k += block_threads / tile_size) {
    const Real<T> entry = magnitude_bound(s[k * stride + i]);
    if (k <= i) row = max(row, entry);
    if (k > i) column = max(column, entry);
  }
  return inverse_grows(row, column, reinterpret_cast<Real<T>*>(scratch));
}

/// Returns entry (row, col) of the block's L, or its conjugate, or 0 in a column whose pivot failed.
template <bool Adjoint, class T>
__device__ T factor_entry(const T* s, int stride, const T* reciprocal, int row, int col) {
  return col <= row && reciprocal[col] != T(0) ? conjugate_if<Adjoint>(s[col * stride + row]) : T(0);
}

/// Computes sum += a · Mᵀ for the eight columns that begin at 8·n. M is lower triangular with `width` rows; a is given
/// as fragments of four columns.
template <class T, class Entry>
__device__ void times_transposed(T (&sum)[2], const T (&a)[tile_size / 4], int n, int width, const Entry& entry) {
  const int j = 8 * n + (static_cast<int>(threadIdx.x & 31u) >> 2);
  const int quad = static_cast<int>(threadIdx.x & 3u);
#pragma unroll
  for (int k = 0; k < 2 * n + 2; ++k) mma_8x8x4(sum, a[k], j < width ? entry(j, 4 * k + quad) : T(0));
}

/// Converts eight columns of a result into the two four-column fragments that a product takes.
template <class T>
__device__ void as_operand(const T (&sum)[2], T& first, T& second) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const bool odd = (lane & 1) != 0;
  const int from = (lane & ~3) + (lane & 3) / 2;
  const T near[2] = {shuffle(sum[0], from), shuffle(sum[1], from)};
  const T far[2] = {shuffle(sum[0], from + 2), shuffle(sum[1], from + 2)};
  first = odd ? near[1] : near[0];
  second = odd ? far[1] : far[0];
}

/// Multiplies eight rows B by L⁻ᵀ of a factorized block of at most 64 columns, by one warp. load(step) returns the
/// lane's row `group` of column 4·step + quad, 0 beyond the block; store(j, value) takes the result. All rows are read
/// before any is stored. With `correct`, X := B L⁻ᵀ is followed by X += (B − X Lᵀ) L⁻ᵀ: a product with an inverse has
/// an error of eps·κ(L), which can look like a failed pivot; after the correction the error is eps, as after
/// substitution. `Adjoint`: the same with L⁻ᴴ, whose entries the block then has above its diagonal.
template <bool Adjoint, class T, class Load, class Store>
__device__ void trsm_eight_rows(const T* s, int stride, const T* reciprocal, int width, bool correct, const Load& load,
                                const Store& store) {
  constexpr int steps = tile_size / 4;
  constexpr int groups = tile_size / 8;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const auto inverse = [&](int row, int col) { return inverse_entry(s, stride, reciprocal, row, col); };
  const auto factor = [&](int row, int col) { return factor_entry<Adjoint>(s, stride, reciprocal, row, col); };
  T before[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) before[k] = load(k);
  T sum[groups][2] = {};
#pragma unroll
  for (int n = 0; n < groups; ++n) {
    if (8 * n < width) times_transposed(sum[n], before, n, width, inverse);
  }
  if (correct) {
    T result[steps];
#pragma unroll
    for (int n = 0; n < groups; ++n) {
      as_operand(sum[n], result[2 * n], result[2 * n + 1]);
      T product[2] = {};
      if (8 * n < width) times_transposed(product, result, n, width, factor);
      T first, second;
      as_operand(product, first, second);
      before[2 * n] -= first;
      before[2 * n + 1] -= second;
    }
#pragma unroll
    for (int n = 0; n < groups; ++n) {
      if (8 * n < width) times_transposed(sum[n], before, n, width, inverse);
    }
  }
  __syncwarp();
#pragma unroll
  for (int n = 0; n < groups; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      if (8 * n + 2 * quad + e < width) store(8 * n + 2 * quad + e, sum[n][e]);
    }
  }
}

/// Whether multiply-adds compute the rows below: emulated tensor-core fragments cost shuffles.
template <class T>
inline constexpr bool trsm_uses_fma = ScalarTraits<T>::is_single;

/// Computes sum[c][h] += Σ b(row h, k) · M(4·group + c, k) for the rows at `first` and `second` and four columns of the
/// result. M is the block's inverse, stored row by row above the diagonal.
template <class T>
__device__ void times_inverse_columns(T (&sum)[4][2], const T* s, int stride, const T* reciprocal, int width, const T* first,
                                      const T* second, int b_stride, int group) {
  const T* inverse[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) inverse[c] = s + min(4 * group + c, width - 1) * stride;
#pragma unroll 2
  for (int k = 0; k < 4 * group; k += 4) {
    T left[4][2], right[4][4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      left[e][0] = first[(k + e) * b_stride];
      left[e][1] = second[(k + e) * b_stride];
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
#pragma unroll
      for (int e = 0; e < 4; e += line<T>) load_line(inverse[c] + k + e, right[c] + e);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        add_product(sum[c][0], left[e][0], right[c][e]);
        add_product(sum[c][1], left[e][1], right[c][e]);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int k = min(4 * group + e, width - 1);  // Columns past the block are replaced by its last one, and not stored.
    const T left[2] = {first[k * b_stride], second[k * b_stride]};
#pragma unroll
    for (int c = e; c < 4; ++c) {
      const T right = c == e ? reciprocal[k] : inverse[c][k];
      add_product(sum[c][0], left[0], right);
      add_product(sum[c][1], left[1], right);
    }
  }
}

/// Returns entry (row, col) of the block's inverse as an operand of a product. `own_group`: the column lies in the
/// row's own group of eight, where entries beyond the diagonal are zero.
template <class T>
__device__ T inverse_operand(const T* s, int stride, const T* reciprocal, int row, int col, bool own_group) {
  const T entry = s[row * stride + col];
  if (!own_group || col < row) return entry;
  return col == row ? reciprocal[row] : T(0);
}

/// Multiplies rows by the inverse in 16×8 tiles. Each warp has 16 rows and every other pair of eight-column groups;
/// short and long sums are combined so that each warp has 18 steps.
template <bool InPlace, class T, class Store>
__device__ void trsm_by_tiles(const T* s, int stride, const T* reciprocal, int width, const T* b, int b_stride, int rows,
                              const Store& store) {
  using Entry = typename Fragment<T>::Entry;
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int warp = warp_number();
  const int row = warp % 4 * 16;
  const bool outer = warp < 4;
  const int last = rows - 1;
  const T* const near = b + min(row + group, last);
  const T* const far = b + min(row + group + 8, last);
  const bool active = row < rows;
  T sum[4][4] = {};
#pragma unroll
  for (int g = 0; g < tile_size / 8; ++g) {  // Groups of eight columns of B.
    if (!active || 8 * g >= width) break;
    const int k = 8 * g + quad;
    const Entry left[4] = {Entry(near[k * b_stride]), Entry(far[k * b_stride]), Entry(near[(k + 4) * b_stride]),
                           Entry(far[(k + 4) * b_stride])};
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      const int n = outer ? (m < 2 ? 3 * m : 3 * m - 2) : (m < 2 ? m + 1 : m + 3);  // 0, 3, 4, 7 or 1, 2, 5, 6.
      if (n < g || 8 * n >= width) continue;
      const int j = min(8 * n + group, width - 1);
      const Entry right[2] = {Entry(inverse_operand(s, stride, reciprocal, j, k, n == g)),
                              Entry(inverse_operand(s, stride, reciprocal, j, k + 4, n == g))};
      mma_16x8x8(sum[m], left, right);
    }
  }
  if constexpr (InPlace) __syncthreads();
  if (!active) return;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int n = outer ? (m < 2 ? 3 * m : 3 * m - 2) : (m < 2 ? m + 1 : m + 3);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = row + group + e / 2 * 8;
      const int j = 8 * n + 2 * quad + e % 2;
      if (i < rows && j < width) store(i, j, sum[m][e]);
    }
  }
}

/// Whether tensor-core tiles compute the rows below.
#if GPUSUPERNODAL_TENSOR_CORES
template <class T>
inline constexpr bool trsm_uses_tiles = !ScalarTraits<T>::is_single;
#else
template <class T>
inline constexpr bool trsm_uses_tiles = false;
#endif

/// Multiplies at most 64 rows B in shared memory by L⁻ᵀ of a factorized block of at most 64 columns, by a CTA of
/// block_threads threads; store(i, j, value) takes entry (i, j) of the result. `InPlace`: `store` writes into B. `Adjoint`:
/// by L⁻ᴴ.
template <bool InPlace, bool Adjoint, class T, class Store>
__device__ void trsm_tile(const T* s, int stride, const T* reciprocal, int width, bool correct, const T* b, int b_stride,
                          int rows, const Store& store) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int warp = warp_number();
  if (trsm_uses_tiles<T> && !correct) {
    trsm_by_tiles<InPlace>(s, stride, reciprocal, width, b, b_stride, rows, store);
    return;
  }
  if (!trsm_uses_fma<T> || correct) {
    const int row = 8 * warp + lane / 4;
    if (8 * warp >= rows) return;
    trsm_eight_rows<Adjoint>(
        s, stride, reciprocal, width, correct,
        [&](int step) {
          const int k = 4 * step + lane % 4;
          return k < width && row < rows ? b[k * b_stride + row] : T(0);
        },
        [&](int j, T value) {
          if (row < rows) store(row, j, value);
        });
    return;
  }
  constexpr int groups = tile_size / 4;
  const int last = rows - 1;
  T sum[2][4][2] = {};
#pragma unroll
  for (int side = 0; side < 2; ++side) {  // One short and one long sum, so that all warps have the same work.
    const int group = side == 0 ? warp : groups - 1 - warp;
    if (4 * group >= width) continue;
    times_inverse_columns(sum[side], s, stride, reciprocal, width, b + min(lane, last), b + min(lane + 32, last), b_stride,
                          group);
  }
  if constexpr (InPlace) __syncthreads();
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    const int group = e < 8 ? warp : groups - 1 - warp;
    const int j = 4 * group + e / 2 % 4;
    const int i = lane + e % 2 * 32;
    if (j < width && i < rows) store(i, j, sum[e / 8][e / 2 % 4][e % 2]);
  }
}

}  // namespace gpusupernodal::cuda
