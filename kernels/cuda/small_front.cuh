#pragma once

/// \file
/// Whole fronts of at most 64 columns and small_front rows, each by one CTA.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/ordered_accumulation.cuh"
#include "kernels/cuda/signed_pivots.cuh"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {

/// Shared memory of a small front: the panel, with columns padded to eight and rows below padded to 32, the scratch of
/// its diagonal block, and its targets.
template <class T>
struct SmallFrontMemory {
  T* s;
  T* reciprocal;
  T* scratch;
  ColumnTarget* targets;

  __device__ explicit SmallFrontMemory(unsigned char* shared) {
    targets = reinterpret_cast<ColumnTarget*>(shared);
    reciprocal = reinterpret_cast<T*>(targets + small_front);
    scratch = reciprocal + tile_size;
    s = scratch + block_memory;
  }
};

template <class T>
__device__ void load_panel(T* s, int stride, const T* base, const PanelInfo& panel) {
  const int width = (panel.width + tile_step - 1) / tile_step * tile_step;
  for (int k = static_cast<int>(threadIdx.x / 32u); k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      const bool valid = k < panel.width && k <= i;
      const std::int64_t from = i + k * static_cast<std::int64_t>(panel.ld);
      copy_async<static_cast<int>(sizeof(T))>(s + k * stride + i, valid ? base + from : base, valid);
    }
  }
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
}

/// Factorizes a front by a CTA of block_threads threads. Bytes: as in factor_tiny; flops: w³/3 + r·w² + r²·w. `gate` as for
/// factor_tiny.
template <class T, bool InOrder, class Data, class Gate>
__device__ void factor_small(const Data& data, const FrontTask& task, unsigned char* shared, const Gate& gate) {
  const SmallFrontMemory<T> shared_memory(shared);
  const PanelInfo panel = data.panels[task.panel];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int width = panel.width;
  const int stride = task.stride;
  T* const s = shared_memory.s;
  T* const base = data.values + panel.offset;
  for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) {
    shared_memory.targets[j - width] = find_target(data, panel, j);
  }
  gate.await_values();
  load_panel(s, stride, base, panel);
  factor_block(s, stride, shared_memory.reciprocal, shared_memory.scratch, width, pivots_of(data, panel.first_column));
  const auto row_signs = column_signs<is_signed<Data>>(static_cast<const T*>(shared_memory.reciprocal), 1);
  const bool correct =
      inverse_grows<is_signed<Data>, is_adjoint<Data>>(s, stride, shared_memory.reciprocal, shared_memory.scratch, width);
  for (int first = width; first < panel.front; first += tile_size) {
    trsm_tile<true, is_adjoint<Data>>(s, stride, shared_memory.reciprocal, width, correct, s + first, stride,
                                      min(tile_size, panel.front - first),
                                      [&](int i, int j, T value) { s[j * stride + first + i] = row_signs(value, j); });
  }
  __syncthreads();
  if constexpr (InOrder) {
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads)
      await_predecessors(data, panel, j);
    __syncthreads();
  }
  int number = 0;
  for (int row = width; row < panel.front; row += 32) {
    for (int col = width; col <= row; col += 32) {
      if (number++ % block_warps != warp) continue;
      const TilePlace place(0, 0);
      TileSums<T> acc = {};
      const T* const left = s + row;
      for (int k = 0; k < width; k += tile_step) {
        multiply_step<is_adjoint<Data>>(
            left + k * stride, s + col + k * stride, stride, place, acc,
            column_signs<is_signed<Data>>(static_cast<const T*>(s) + k * (stride + 1), stride + 1));
      }
      subtract_sums(data, shared_memory.targets + col - width, row, col, col, panel.front, panel.front, place, acc);
    }
  }
  if constexpr (InOrder) {
    __syncthreads();
    for (int j = width + static_cast<int>(threadIdx.x); j < panel.front; j += block_threads) record_addition(data, panel, j);
  }
  gate.updated();
  for (int k = warp; k < width; k += block_warps) {
    for (int i = static_cast<int>(threadIdx.x & 31u); i < panel.front; i += 32) {
      base[i + k * static_cast<std::int64_t>(panel.ld)] = s[k * stride + i];
    }
  }
}

}  // namespace gpusupernodal::cuda
