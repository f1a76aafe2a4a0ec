#pragma once

/// \file
/// LU of whole fronts of at most 64 columns and small_front rows, each by one CTA.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/lu_block.cuh"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {

/// Shared memory of a small front. It holds both panels, with columns padded to eight and rows below padded to 32. It also
/// holds the reciprocals of the diagonals, scratch memory for the diagonal block, and the targets of the updates.
template <class T>
struct SmallLuMemory {
  LuSquares<T> panels;
  T* reciprocal;  ///< Reciprocals of U's diagonal.
  T* ones;        ///< Ones, the diagonal of L.
  T* scratch;
  ColumnTarget* targets;

  __device__ SmallLuMemory(unsigned char* shared, int width, int stride) {
    targets = reinterpret_cast<ColumnTarget*>(shared);
    reciprocal = reinterpret_cast<T*>(targets + small_front);
    ones = reciprocal + tile_size;
    scratch = ones + tile_size;
    panels.l = scratch + lu_block_memory;
    panels.u = panels.l + (width + tile_step - 1) / tile_step * tile_step * stride;
  }
};

/// Starts to copy the lower part of a panel; the other entries become zero.
template <class T>
__device__ void copy_panel(T* s, int stride, const T* base, const PanelInfo& panel) {
  const int width = (panel.width + tile_step - 1) / tile_step * tile_step;
  for (int k = static_cast<int>(threadIdx.x / 32u); k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      const bool valid = k < panel.width && k <= i;
      const std::int64_t from = i + k * static_cast<std::int64_t>(panel.ld);
      copy_async<static_cast<int>(sizeof(T))>(s + k * stride + i, valid ? base + from : base, valid);
    }
  }
}

/// Whether products with an inverse of either triangle could lose more digits than substitution.
template <class T>
__device__ bool inverses_grow(const LuSquares<T>& panels, int stride, const T* reciprocal, T* scratch, int width) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  Real<T> rows[2] = {Real<T>(1), Real<T>(0)};  // A row of L, whose diagonal is 1, and one of Uᵀ.
  Real<T> columns[2] = {Real<T>(1), i < width ? magnitude_bound(reciprocal[i]) : Real<T>(0)};
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < width && i < width; k += block_threads / tile_size) {
    const Real<T> entries[2] = {magnitude_bound(panels.l[k * stride + i]), magnitude_bound(panels.u[k * stride + i])};
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      if (k <= i) rows[p] = max(rows[p], entries[p]);
      if (k > i) columns[p] = max(columns[p], entries[p]);
    }
  }
  auto* const shared_memory = reinterpret_cast<Real<T>*>(scratch);
  const bool of_l = inverse_grows(rows[0], columns[0], shared_memory);
  return inverse_grows(rows[1], columns[1], shared_memory) || of_l;
}

/// Solves for a panel's rows below with the triangle `s` of the other panel.
template <class T>
__device__ void solve_rows(T* rows, const T* s, int stride, const T* reciprocal, bool correct, const PanelInfo& panel) {
  for (int first = panel.width; first < panel.front; first += tile_size) {
    trsm_tile<true, false>(s, stride, reciprocal, panel.width, correct, rows + first, stride,
                           min(tile_size, panel.front - first),
                           [&](int i, int j, T value) { rows[j * stride + first + i] = value; });
  }
}

template <class T>
__device__ void store_panel(const T* s, int stride, T* base, const PanelInfo& panel) {
  for (int k = static_cast<int>(threadIdx.x / 32u); k < panel.width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32)
      base[i + k * static_cast<std::int64_t>(panel.ld)] = s[k * stride + i];
  }
}

/// Subtracts left·rightᵀ of the rows below from the ancestors in data.values. `number` counts the tiles, which the warps
/// take in turns.
template <class T>
__device__ void subtract_update(const FactorData<T>& data, const T* left, const T* right, int stride,
                                const ColumnTarget* targets, const PanelInfo& panel, int& number) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  for (int row = panel.width; row < panel.front; row += 32) {
    for (int col = panel.width; col <= row; col += 32) {
      if (number++ % block_warps != warp) continue;
      const TilePlace place(0, 0);
      TileSums<T> acc = {};
      for (int k = 0; k < panel.width; k += tile_step)
        multiply_step<false>(left + row + k * stride, right + col + k * stride, stride, place, acc);
      subtract_sums(data, targets + col - panel.width, row, col, col, panel.front, panel.front, place, acc);
    }
  }
}

/// Factorizes a front by a CTA of block_threads threads. Bytes: 32 per entry of the panel; flops: twice those of Cholesky.
/// `gate` as for factor_tiny.
template <class T, class Gate>
__device__ void factor_small_lu(const LuData<T>& lu, const FrontTask& task, unsigned char* shared, const Gate& gate) {
  const PanelInfo panel = lu.data.panels[task.panel];
  const int stride = task.stride;
  const SmallLuMemory<T> own(shared, panel.width, stride);
  T* const base = lu.data.values + panel.offset;
  for (int j = panel.width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads)
    own.targets[j - panel.width] = find_target(lu.data, panel, j);
  if (threadIdx.x < tile_size) own.ones[threadIdx.x] = T(1);
  gate.await_values();
  copy_panel(own.panels.l, stride, base, panel);
  copy_panel(own.panels.u, stride, base + lu.partner, panel);
  commit_copies();
  const Real<T> smallest = smallest_pivot<T>(lu);
  wait_for_copies<0>();
  __syncthreads();
  factor_lu_block(own.panels, stride, own.reciprocal, own.scratch, panel.width, smallest,
                  LuPivotReport{lu.status, panel.first_column});
  const bool correct = inverses_grow(own.panels, stride, own.reciprocal, own.scratch, panel.width);
  solve_rows(own.panels.l, own.panels.u, stride, own.reciprocal, correct, panel);
  solve_rows(own.panels.u, own.panels.l, stride, own.ones, correct, panel);
  __syncthreads();
  FactorData<T> partner = lu.data;
  partner.values += lu.partner;
  int number = 0;
  subtract_update(lu.data, own.panels.l, own.panels.u, stride, own.targets, panel, number);
  subtract_update(partner, own.panels.u, own.panels.l, stride, own.targets, panel, number);
  gate.updated();
  store_panel(own.panels.l, stride, base, panel);
  store_panel(own.panels.u, stride, base + lu.partner, panel);
}

}  // namespace gpusupernodal::cuda
