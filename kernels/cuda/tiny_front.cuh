#pragma once

/// \file
/// Whole fronts of at most 16 columns, each by one warp, or by a CTA that has no other front.

#include <type_traits>

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/ordered_accumulation.cuh"
#include "kernels/cuda/signed_pivots.cuh"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/team.cuh"

namespace gpusupernodal::cuda {

inline constexpr int tiny_stride = tiny_front + 4;
template <class T>
inline constexpr int tiny_warps = ScalarTraits<T>::bytes == 16 ? 2 : 4;
/// Columns of a narrow front, which takes half the steps and half the registers.
inline constexpr int narrow = narrow_width;
/// Minimum CTAs per multiprocessor: registers limit them, and more CTAs hide the latency of loads.
template <class T, int Columns>
inline constexpr int tiny_ctas = (ScalarTraits<T>::bytes == 4 ? 4 : 3) + (Columns == narrow ? 2 : 0);

template <class T, int Columns>
struct TinyFrontMemory {
  T s[Columns * tiny_stride];
  alignas(16) T scratch[strip_memory];  // Read in units of 16 bytes.
  T reciprocal[Columns];
  ColumnTarget targets[tiny_front];
};

/// Computes the update of a tiny front in 16×8 tiles, which the warps take in turns; columns up to a multiple of eight are
/// zero.
template <class Team, class T, int Columns, class Data>
__device__ void subtract_tiny(const Data& data, const PanelInfo& panel, const TinyFrontMemory<T, Columns>& shared_memory) {
  using Entry = typename Fragment<T>::Entry;
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int last = panel.front - 1;  // Rows past the front are replaced by this one, and not added.
  const auto signs = column_signs<is_signed<Data>>(shared_memory.s + quad * (tiny_stride + 1), tiny_stride + 1);
  int number = 0;
  for (int col = panel.width; col < panel.front; col += 8) {
    const T* const other = shared_memory.s + quad * tiny_stride + min(col + group, last);
    for (int row = col; row < panel.front; row += 16) {
      if (number++ % Team::warps != Team::warp()) continue;
      const T* const near = shared_memory.s + quad * tiny_stride + min(row + group, last);
      const T* const far = shared_memory.s + quad * tiny_stride + min(row + group + 8, last);
      T sum[4] = {};
#pragma unroll
      for (int k = 0; k < Columns; k += tile_step) {
        if (k >= panel.width) break;
        const int next = k + 4;
        const Entry left[4] = {Entry(signs(near[k * tiny_stride], k)), Entry(signs(far[k * tiny_stride], k)),
                               Entry(signs(near[next * tiny_stride], next)), Entry(signs(far[next * tiny_stride], next))};
        const Entry right[2] = {Entry(conjugate_if<is_adjoint<Data>>(other[k * tiny_stride])),
                                Entry(conjugate_if<is_adjoint<Data>>(other[next * tiny_stride]))};
        mma_16x8x8(sum, left, right);
      }
      compute_here(sum);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = row + group + e / 2 * 8;
        const int j = col + 2 * quad + e % 2;
        if (j > i || i > last) continue;
        const ColumnTarget target = shared_memory.targets[j - panel.width];
        atomic_add(data.values + target.column + data.relative_rows[target.relative + i], -sum[e]);
      }
    }
  }
}

/// Factorizes a front in shared memory with as many rows per lane as it needs.
template <class T, int Columns, class Pivots>
__device__ void factor_tiny_strip(TinyFrontMemory<T, Columns>& shared_memory, int columns, int rows, const Pivots& pivots) {
  constexpr int one = 32 - 2 * Columns;  // Rows below that fit in addition to the diagonal block and the unit matrix.
  const int below = rows - columns;
  const auto factor = [&](auto sets) {
    factor_single_strip<decltype(sets)::value, Columns>(shared_memory.s, tiny_stride, shared_memory.reciprocal,
                                                        shared_memory.scratch, columns, rows, pivots);
  };
  if (Columns == narrow && below <= one) {
    factor(std::integral_constant<int, 1>());
  } else if (Columns == narrow || below <= one + 32) {
    factor(std::integral_constant<int, 2>());
  } else if constexpr (Columns != narrow) {
    factor(std::integral_constant<int, 3>());
  }
}

/// Factorizes a front of at most 16 columns and tiny_front rows, which is one strip. One warp eliminates; all warps of the
/// team load, update and store. It moves 16 bytes for each entry of the panel, and 8 for each entry of the update and for
/// each index. gate.await_values() returns when all updates of the panel are visible, gate.updated() is called when the
/// ancestors have been updated. `waits`: expect a long wait.
template <class Team, bool InOrder, class T, int Columns, class Data, class Gate>
__device__ void factor_tiny(const Data& data, const PanelInfo& panel, TinyFrontMemory<T, Columns>& shared_memory, bool waits,
                            const Gate& gate) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  T* const base = data.values + panel.offset;
  const int width = uniform(panel.width);
  const int front = uniform(panel.front);
  const auto find_targets = [&] {
    for (int j = width + Team::thread(); j < front; j += Team::threads)
      shared_memory.targets[j - width] = find_target(data, panel, j);
  };
  if (waits) find_targets();
  gate.await_values();
  for (int k = Team::warp(); k < (width + tile_step - 1) / tile_step * tile_step; k += Team::warps) {
    for (int i = lane; i < front; i += 32) {
      const bool valid = k < width;
      copy_async<static_cast<int>(sizeof(T))>(shared_memory.s + k * tiny_stride + i, valid ? base + i + k * ld : base,
                                              valid);
    }
  }
  commit_copies();
  if (!waits) find_targets();
  wait_for_copies<0>();
  Team::sync();
  if (Team::warp() == 0) factor_tiny_strip(shared_memory, width, front, pivots_of(data, panel.first_column));
  Team::sync();
  if constexpr (InOrder) {
    static_assert(Team::warps == 1);
    for (int j = panel.width + lane; j < panel.front; j += 32) await_predecessors(data, panel, j);
    __syncwarp();
  }
  subtract_tiny<Team>(data, panel, shared_memory);
  if constexpr (InOrder) {
    __syncwarp();
    for (int j = panel.width + lane; j < panel.front; j += 32) record_addition(data, panel, j);
  }
  gate.updated();
  for (int k = Team::warp(); k < width; k += Team::warps) {
    for (int i = lane; i < front; i += 32) base[i + k * ld] = shared_memory.s[k * tiny_stride + i];
  }
}

}  // namespace gpusupernodal::cuda
