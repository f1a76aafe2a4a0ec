#pragma once

/// \file
/// LU factors and inverses of a diagonal block of at most 64 columns in shared memory, strip by strip (lu_strip.cuh), in
/// the order of block_factor.cuh: while a strip is factorized, idle warps apply the preceding strip's update to the columns
/// after it.

#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/lu_strip.cuh"

namespace gpusupernodal::cuda {

/// Subtracts the update of the strip that begins at `first` from a later tile of 16 rows and 8 columns of both squares, by
/// one warp. Rows below the strip are multiplied by columns of the other square, rows of an inverse by their own: U⁻¹,
/// which lies above Uᵀ, satisfies U⁻¹·U = I, and L⁻ᵀ satisfies L⁻ᵀ·Lᵀ = I.
template <class T>
__device__ void update_lu_tile(const LuSquares<T>& squares, int stride, const LuSquares<T>& inverses, int first, int row,
                               int col, int width) {
  const bool below = row > first;
  update_tile<T, false, false>(squares.l, below ? squares.u : squares.l, stride, inverses.l, first, row, col, width);
  update_tile<T, false, false>(squares.u, below ? squares.l : squares.u, stride, inverses.u, first, row, col, width);
}

/// update_lu_tile for the next strip, one tile per warp.
template <class T>
__device__ void update_next_lu_strip(const LuSquares<T>& squares, int stride, const LuSquares<T>& inverses, int warp,
                                     int first, int width) {
  const int row = warp / 2 * strip;
  const int col = first + strip + warp % 2 * 8;
  if (row < width && col < width) update_lu_tile(squares, stride, inverses, first, row, col, width);
}

/// update_lu_tile for the strips after the next one, by the upper half of the warps.
template <class T>
__device__ void update_other_lu_strips(const LuSquares<T>& squares, int stride, const LuSquares<T>& inverses, int warp,
                                       int first, int width) {
  int number = 0;
  for (int col = first + 2 * strip; col < width; col += 8) {
    for (int row = 0; row < width; row += strip) {
      if (row > first && row + strip <= col) continue;  // These rows of the inverses are still zero.
      if (number++ % (block_warps / 2) == warp - block_warps / 2)
        update_lu_tile(squares, stride, inverses, first, row, col, width);
    }
  }
}

/// Factorizes the whole block by a CTA of block_threads threads. Precondition: entries above both diagonals are zero, and
/// all threads can see the block; on return all threads can see the result. `reciprocal` receives the reciprocals of U's
/// diagonal; `shared_memory` has lu_block_memory entries.
template <class T>
__device__ void factor_lu_block(const LuSquares<T>& squares, int stride, T* reciprocal, T* shared_memory, int width,
                                Real<T> smallest_pivot, const LuPivotReport& report) {
  const int warp = warp_number();
  width = uniform(width);
  T* const begin = shared_memory + tile_size / strip * lu_strip_memory;
  const auto inverses_of = [begin](int strip_number) {
    T* const pair = begin + strip_number % 2 * 2 * inverse_memory;
    return LuSquares<T>{pair, pair + inverse_memory};
  };
  for (int first = 0; first < width; first += strip) {
    const LuStripPlace place(warp, first, width);
    const bool has_strip = warp * strip < width;
    const LuSquares<T> inverses = inverses_of(first / strip);
    LuStripRows<T> rows;
    if (has_strip) {
      factor_lu_strip(rows, squares, stride, shared_memory, place, warp, first, width, smallest_pivot);
    } else if (first > 0 && warp >= block_warps / 2) {
      update_other_lu_strips(squares, stride, inverses_of(first / strip + 1), warp, first - strip, width);
    }
    __syncthreads();
    if (has_strip) store_lu_strip(rows, squares, stride, reciprocal, inverses, place, warp, first, width, report);
    __syncthreads();
    if (first + strip >= width) break;
    update_next_lu_strip(squares, stride, inverses, warp, first, width);
    __syncthreads();
  }
}

}  // namespace gpusupernodal::cuda
