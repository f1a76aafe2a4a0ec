#pragma once

/// \file
/// Factorizes a diagonal block of up to 64 columns from and to global memory, including the update by the preceding
/// columns.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/signed_pivots.cuh"
#include "kernels/cuda/tile.cuh"

namespace gpusupernodal::cuda {

inline constexpr int diagonal_stride = block_stride;

/// A warp's part of a block's lower triangle: 16 rows × 32 columns, or nothing if they lie above the diagonal. The
/// mapping gives no scheduler three parts.
template <class T>
class LowerPart {
 public:
  __device__ LowerPart() : place_(row_of(warp_number()), col_of(warp_number())) {}

  __device__ void load(const T* block, std::int64_t ld, int width) {
    each([&](int i, int j, T& entry, T&) { entry = j <= i && i < width ? load_l2(block + i + j * ld) : T(0); });
  }
  /// Subtracts A·Bᵀ; A and B are 64×64 in shared memory. `Signed`: A·S·Bᵀ, with the signs behind the columns of A.
  /// `Adjoint`: with Bᴴ in the place of Bᵀ.
  template <bool Signed, bool Adjoint>
  __device__ void subtract_product(const T* a, const T* b) {
    if (!active()) return;
#pragma unroll 1
    for (int k = 0; k < tile_size; k += tile_step) {  // Not unrolled: fetching instructions that run only once is slow.
      multiply_step<Adjoint>(a + k * diagonal_stride, b + k * diagonal_stride, diagonal_stride, place_, product_,
                             column_signs<Signed>(a + k * diagonal_stride + tile_size, diagonal_stride));
    }
  }
  /// Stores the updated block into shared memory. Rows below the block (`rows` counts from the block's first row) are
  /// updated atomically in global memory, because other CTAs may be adding to them.
  __device__ void store(T* s, T* block, std::int64_t ld, int width, int rows) {
    if (!active()) return;
    each([&](int i, int j, T& entry, T& product) {
      if (j > i) return;
      s[j * diagonal_stride + i] = i < width ? entry - product : T(0);
      if (j < width && i >= width && i < rows) atomic_add(block + i + j * ld, -product);
    });
  }

 private:
  /// Warps 0 … 3 have the strips of the first 32 columns; warps 4 and 5 have the lower strips of the other columns.
  __device__ static int row_of(int warp) { return strip * (warp < 4 ? warp : warp == 4 ? 3 : 2); }
  __device__ static int col_of(int warp) { return warp < 4 ? 0 : 32; }
  __device__ static bool active() { return threadIdx.x < 6 * 32; }
  template <class F>
  __device__ void each(const F& f) {
#pragma unroll
    for (int n = 0; n < 4; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) f(place_.row(0, e / 2), place_.col(n, e % 2), entry_[0][n][e], product_[0][n][e]);
    }
  }

  TilePlace place_;
  TileSums<T, 1> entry_ = {};
  TileSums<T, 1> product_ = {};
};

/// Columns of a panel from the row of a block's first entry on.
template <class T>
struct Columns {
  const T* first;
  std::int64_t ld;
};

/// Starts to copy 64 rows of the 64 preceding columns into shared memory.
template <class T>
__device__ void copy_preceding(T* s, const Columns<T>& preceding) {
  const int t = static_cast<int>(threadIdx.x);
  constexpr int elements = 16 / static_cast<int>(sizeof(T));
  constexpr int chunks = tile_size / elements;
  const int row = t % chunks * elements;
  for (int k = t / chunks; k < tile_size; k += block_threads / chunks) {
    copy_async<16>(s + k * diagonal_stride + row, preceding.first + row + k * preceding.ld, true);
  }
}

template <class T>
__device__ void clear_above_diagonal(T* s) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < tile_size; k += block_threads / tile_size) {
    if (k > i) s[k * diagonal_stride + i] = T(0);
  }
}

/// Loads a block's lower triangle minus the product of the 64 preceding columns, with zeros above the diagonal. If the
/// block is narrower than a tile, rows below it in the same tile are updated in global memory; the panel has `rows`
/// rows from the block's first on. `signs`: for LDLᵀ, the pivots of the preceding columns; otherwise unused.
template <bool Signed, bool Adjoint, class T>
__device__ void load_updated(T* s, const Columns<T>& preceding, const T* signs, T* diagonal, std::int64_t ld, int width,
                             int rows) {
  copy_preceding(s, preceding);
  if (Signed && threadIdx.x < tile_size) {
    const int k = static_cast<int>(threadIdx.x);
    copy_async<static_cast<int>(sizeof(T))>(s + k * diagonal_stride + tile_size, signs + k, true);
  }
  commit_copies();
  LowerPart<T> part;
  part.load(diagonal, ld, width);
  wait_for_copies<0>();
  __syncthreads();
  part.template subtract_product<Signed, Adjoint>(s, s);
  __syncthreads();
  clear_above_diagonal(s);
  part.store(s, diagonal, ld, width, rows);
}

/// Factorizes a block by a CTA of block_threads threads. Latency matters most: 64 steps of about 120 cycles and the
/// products between strips. A block that subtracts the product of the preceding columns needs no other results of
/// theirs, so it can run concurrently with their other products. A separate launch for that product would take longer than
/// its 64³ flops on tensor cores. `begin` is called before values are read.
template <class Data, class T, class Begin>
__device__ void factor_diagonal_block(const Data& data, const DiagonalTask& task, DiagonalMemory<T>& own,
                                      const Begin& begin) {
  const PanelInfo panel = data.panels[task.panel];
  const PanelBlock block = block_of(panel, task.column);
  const std::int64_t ld = block.ld;
  T* const diagonal = data.values + block.index(task.column, task.column);
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  constexpr int columns_per_round = block_threads / tile_size;
  begin();
  if (task.before > 0) {
    const PanelBlock before = block_of(panel, task.column - tile_size);
    const Columns<T> preceding{data.values + before.index(task.column, task.column - tile_size), before.ld};
    const T* signs = nullptr;
    if constexpr (is_signed<Data>) signs = data.pivots + panel.first_column + task.column - tile_size;
    load_updated<is_signed<Data>, is_adjoint<Data>>(own.s, preceding, signs, diagonal, ld, task.width,
                                                    panel.front - task.column);
  } else {
    T entry[tile_size / columns_per_round];
#pragma unroll
    for (int r = 0; r < tile_size / columns_per_round; ++r) {
      const int k = r * columns_per_round + t / tile_size;
      entry[r] = k <= i && i < task.width ? load_l2(diagonal + i + k * ld) : T(0);
    }
#pragma unroll
    for (int r = 0; r < tile_size / columns_per_round; ++r)
      own.s[(r * columns_per_round + t / tile_size) * diagonal_stride + i] = entry[r];
  }
  __syncthreads();
  factor_block(own.s, diagonal_stride, own.reciprocal, own.shared_memory, task.width,
               pivots_of(data, panel.first_column + task.column));
  for (int k = t / tile_size; k < task.width; k += columns_per_round) {
    if (i < task.width) diagonal[i + k * ld] = own.s[k * diagonal_stride + i];
  }
}

}  // namespace gpusupernodal::cuda
