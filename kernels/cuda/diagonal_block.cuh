#pragma once

/// \file
/// A diagonal block of up to 64 columns from memory to memory, with what the columns before it subtract.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/tile.cuh"

namespace gpusupernodal::cuda {

inline constexpr int diagonal_stride = block_stride;

/// A warp's part of what a block's lower triangle becomes: 16 rows × 32 columns, or nothing where they lie above the
/// diagonal. Parts are dealt so that no scheduler has three of them.
template <class T>
class LowerPart {
 public:
  __device__ LowerPart() : place_(row_of(warp_number()), col_of(warp_number())) {}

  __device__ void load(const T* block, std::int64_t ld, int width) {
    each([&](int i, int j, T& entry, T&) { entry = j <= i && i < width ? __ldcg(block + i + j * ld) : T(0); });
  }
  /// Subtracts A·Aᵀ, A 64×64 in shared memory.
  __device__ void subtract_square(const T* a) {
    if (!active()) return;
#pragma unroll 1
    for (int k = 0; k < tile_size; k += tile_step) {  // Code that runs once is slow to fetch.
      multiply_step(a + k * diagonal_stride, a + k * diagonal_stride, diagonal_stride, place_, product_);
    }
  }
  /// Into shared memory; what is of rows below the block, `rows` in all, is added to what others may be adding to.
  __device__ void store(T* s, T* block, std::int64_t ld, int width, int rows) {
    if (!active()) return;
    each([&](int i, int j, T& entry, T& product) {
      if (j > i) return;
      s[j * diagonal_stride + i] = i < width ? entry - product : T(0);
      if (j < width && i >= width && i < rows) atomicAdd(block + i + j * ld, -product);
    });
  }

 private:
  /// Warps 0 … 3 have the strips of the first 32 columns, 4 and 5 the lower ones of the others.
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

/// A block's lower triangle minus the product of the 64 columns before it, and zeros above its diagonal. Of a block that is
/// narrower than a tile, the rows below in the same tile are updated where they are, of which the panel has `rows` in all.
template <class T>
__device__ void load_updated(T* s, T* diagonal, std::int64_t ld, int width, int rows) {
  const int t = static_cast<int>(threadIdx.x);
  constexpr int elements = 16 / static_cast<int>(sizeof(T));
  constexpr int chunks = tile_size / elements;
  const T* const before = diagonal - tile_size * ld;
  const int row = t % chunks * elements;
  for (int k = t / chunks; k < tile_size; k += block_threads / chunks) {
    copy_async<16>(s + k * diagonal_stride + row, before + row + k * ld, true);
  }
  commit_copies();
  LowerPart<T> part;
  part.load(diagonal, ld, width);
  wait_for_copies<0>();
  __syncthreads();
  part.subtract_square(s);
  __syncthreads();
  const int i = t % tile_size;
  for (int k = t / tile_size; k < tile_size; k += block_threads / tile_size) {
    if (k > i) s[k * diagonal_stride + i] = T(0);
  }
  part.store(s, diagonal, ld, width, rows);
}

/// A block by a CTA of block_threads. Latency is what counts: 64 steps of some 120 cycles and the products between the
/// strips. A block that subtracts the product of the columns before it needs nothing else of theirs, so that it can run
/// beside the products of these; a launch of products before it would take longer than the 64³ flops, which go to tensor
/// cores. `begin` is called before values are read.
template <class T, class Begin>
__device__ void factor_diagonal_block(const FactorData<T>& data, const DiagonalTask& task, DiagonalMemory<T>& own,
                                      const Begin& begin) {
  const PanelInfo panel = data.panels[task.panel];
  const std::int64_t ld = panel.ld;
  T* const diagonal = data.values + panel.offset + task.column * (ld + 1);
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  constexpr int columns_a_round = block_threads / tile_size;
  begin();
  if (task.before > 0) {
    load_updated(own.s, diagonal, ld, task.width, panel.front - task.column);
  } else {
    T entry[tile_size / columns_a_round];
#pragma unroll
    for (int r = 0; r < tile_size / columns_a_round; ++r) {
      const int k = r * columns_a_round + t / tile_size;
      entry[r] = k <= i && i < task.width ? __ldcg(diagonal + i + k * ld) : T(0);
    }
#pragma unroll
    for (int r = 0; r < tile_size / columns_a_round; ++r)
      own.s[(r * columns_a_round + t / tile_size) * diagonal_stride + i] = entry[r];
  }
  __syncthreads();
  factor_block(own.s, diagonal_stride, own.reciprocal, own.shared_memory, task.width);
  for (int k = t / tile_size; k < task.width; k += columns_a_round) {
    if (i < task.width) diagonal[i + k * ld] = own.s[k * diagonal_stride + i];
  }
}

}  // namespace gpusupernodal::cuda
