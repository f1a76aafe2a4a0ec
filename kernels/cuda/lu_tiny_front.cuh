#pragma once

/// \file
/// LU of a front of at most 16 columns and tiny_front rows, one strip of lu_strip.cuh, by one warp, or by a CTA that has no
/// other front.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/lu_strip.cuh"
#include "kernels/cuda/subtract.cuh"
#include "kernels/cuda/team.cuh"

namespace gpusupernodal::cuda {

inline constexpr int lu_tiny_stride = tiny_front + 4;
/// Warps per CTA: what static shared memory holds.
template <class T, int Columns>
inline constexpr int lu_tiny_warps = (Columns == narrow_width ? 4 : 2) / (ScalarTraits<T>::bytes == 16 ? 2 : 1);

template <class T, int Columns>
struct TinyLuMemory {
  alignas(16) T l[Columns * lu_tiny_stride];
  alignas(16) T u[Columns * lu_tiny_stride];
  alignas(16) T scratch[lu_strip_memory];
  ColumnTarget targets[tiny_front];
};

/// Rows of a tiny front that a lane has. The rows of the unit matrix share set 0 with the diagonal block if there are lanes
/// left, otherwise they have a set of their own; the last set has the first 16 rows below.
template <int Columns>
struct TinyLuRows {
  static constexpr int unit_set = Columns == strip ? 1 : 0;
  static constexpr int unit_lane = Columns == strip ? 0 : Columns;
  static constexpr int below_set = unit_set + 1;
  static constexpr int sets = below_set + 1;
};

/// Entry (row, k) of a panel with `columns` columns and `rows` rows; 0 beyond them.
template <class T>
__device__ T panel_entry(const T* s, int row, int k, int columns, int rows) {
  return k < columns && row < rows ? s[k * lu_tiny_stride + row] : T(0);
}

/// Solves for rows below, beginning at `first`, 16 of each panel, with the factorized diagonal block.
template <class T, int Columns>
__device__ void solve_tiny_rows(TinyLuMemory<T, Columns>& memory, const T (&factor)[Columns], int first, int columns,
                                int rows) {
  const LuLane lane;
  T* const own = lane.upper ? memory.u : memory.l;
  const T* const other = lane.upper ? memory.l : memory.u;
  const int at = first + lane.row;
  T row[Columns];
#pragma unroll
  for (int k = 0; k < Columns; ++k) row[k] = panel_entry(own, at, k, columns, rows);
#pragma unroll
  for (int j = 0; j < Columns; ++j) {
    if (j >= columns) break;
    row[j] = row[j] * factor[j];
#pragma unroll
    for (int k = j + 1; k < Columns; ++k)
      subtract_product(row[k], row[j], k < columns ? other[j * lu_tiny_stride + k] : T(0));
  }
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    if (k < columns && at < rows) own[k * lu_tiny_stride + at] = row[k];
  }
}

/// Factorizes a front of `columns` ≤ Columns columns and `rows` rows in shared memory, with the inverses.
template <class T, int Columns>
__device__ void factor_tiny_lu_strip(TinyLuMemory<T, Columns>& memory, int columns, int rows, Real<T> smallest_pivot,
                                     const LuPivotReport& report) {
  using Rows = TinyLuRows<Columns>;
  const LuLane lane;
  T* const own = lane.upper ? memory.u : memory.l;
  T* const above = lane.upper ? memory.l : memory.u;
  const int below = columns + lane.row;
  const int unit = lane.row - Rows::unit_lane;  // Row of the unit matrix.
  T row[Rows::sets][Columns];
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    const T one = lane.row == k ? T(1) : T(0);
    const T block = k < columns ? (k <= lane.row ? panel_entry(own, lane.row, k, columns, columns) : T(0)) : one;
    const T unit_entry = unit == k ? T(1) : T(0);
    row[0][k] = lane.row < Columns ? block : T(0);
    if (Rows::unit_set > 0 || unit >= 0) row[Rows::unit_set][k] = unit_entry;
    row[Rows::below_set][k] = panel_entry(own, below, k, columns, rows);
  }
  const LuPivot<T> pivot = eliminate_lu(row, memory.scratch, smallest_pivot, columns);
  T factor[Columns];
  share_reciprocals(pivot.used, memory.scratch, factor);
#pragma unroll
  for (int k = 0; k < Columns; ++k) {
    if (k >= columns) break;
    if (k < lane.row && lane.row < columns) own[k * lu_tiny_stride + lane.row] = row[0][k] * factor[k];
    if (unit >= 0 && unit < k) above[k * lu_tiny_stride + unit] = row[Rows::unit_set][k] * factor[k];
    if (below < rows) own[k * lu_tiny_stride + below] = row[Rows::below_set][k] * factor[k];
  }
  if (lane.row < columns) {
    own[lane.row * (lu_tiny_stride + 1)] = lane.upper ? pivot.used : T(1);
    if (!lane.upper) report.note(pivot.found, pivot.used, lane.row);
  }
  __syncwarp();
  for (int first = columns + strip; first < rows; first += strip) solve_tiny_rows(memory, factor, first, columns, rows);
  __syncwarp();
}

/// Subtracts left·rightᵀ of the rows below from the ancestors in data.values, in 16×8 tiles; columns up to a multiple of
/// eight are zero. `number` counts the tiles, which the warps take in turns.
template <class Team, int Columns, class T>
__device__ void subtract_tiny_lu(const FactorData<T>& data, const PanelInfo& panel, const T* left_panel,
                                 const T* right_panel, const ColumnTarget* targets, int& number) {
  using Entry = typename Fragment<T>::Entry;
  const int group = static_cast<int>(threadIdx.x & 31u) >> 2;
  const int quad = static_cast<int>(threadIdx.x & 3u);
  const int last = panel.front - 1;  // Rows past the front are replaced by this one, and not added.
  for (int col = panel.width; col < panel.front; col += 8) {
    const T* const other = right_panel + quad * lu_tiny_stride + min(col + group, last);
    for (int row = col; row < panel.front; row += 16) {
      if (number++ % Team::warps != Team::warp()) continue;
      const T* const near = left_panel + quad * lu_tiny_stride + min(row + group, last);
      const T* const far = left_panel + quad * lu_tiny_stride + min(row + group + 8, last);
      T sum[4] = {};
#pragma unroll
      for (int k = 0; k < Columns; k += tile_step) {
        if (k >= panel.width) break;
        const int at = k * lu_tiny_stride, next = (k + 4) * lu_tiny_stride;
        const Entry left[4] = {Entry(near[at]), Entry(far[at]), Entry(near[next]), Entry(far[next])};
        const Entry right[2] = {Entry(other[at]), Entry(other[next])};
        mma_16x8x8(sum, left, right);
      }
      compute_here(sum);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = row + group + e / 2 * 8;
        const int j = col + 2 * quad + e % 2;
        if (j > i || i > last) continue;
        const ColumnTarget target = targets[j - panel.width];
        atomic_add(data.values + target.column + data.relative_rows[target.relative + i], -sum[e]);
      }
    }
  }
}

/// Factorizes one front as factor_tiny does. It moves 32 bytes for each entry of the panel, and 16 for each entry of the
/// update and for each index.
template <class Team, class T, int Columns, class Gate>
__device__ void factor_tiny_lu(const LuData<T>& lu, const PanelInfo& panel, TinyLuMemory<T, Columns>& memory, bool waits,
                               const Gate& gate) {
  const FactorData<T>& data = lu.data;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  T* const base = data.values + panel.offset;
  const int width = uniform(panel.width);
  const int front = uniform(panel.front);
  const auto find_targets = [&] {
    for (int j = width + Team::thread(); j < front; j += Team::threads)
      memory.targets[j - width] = find_target(data, panel, j);
  };
  if (waits) find_targets();
  gate.await_values();
  for (int k = Team::warp(); k < (width + tile_step - 1) / tile_step * tile_step; k += Team::warps) {
    for (int i = lane; i < front; i += 32) {
      const T* const from = base + (k < width ? i + k * ld : 0);
      copy_async<static_cast<int>(sizeof(T))>(memory.l + k * lu_tiny_stride + i, from, k < width);
      copy_async<static_cast<int>(sizeof(T))>(memory.u + k * lu_tiny_stride + i, from + lu.partner, k < width);
    }
  }
  commit_copies();
  if (!waits) find_targets();
  const Real<T> smallest = smallest_pivot<T>(lu);
  wait_for_copies<0>();
  Team::sync();
  if (Team::warp() == 0) factor_tiny_lu_strip(memory, width, front, smallest, LuPivotReport{lu.status, panel.first_column});
  Team::sync();
  FactorData<T> partner = data;
  partner.values += lu.partner;
  int number = 0;
  subtract_tiny_lu<Team, Columns>(data, panel, memory.l, memory.u, memory.targets, number);
  subtract_tiny_lu<Team, Columns>(partner, panel, memory.u, memory.l, memory.targets, number);
  gate.updated();
  for (int k = Team::warp(); k < width; k += Team::warps) {
    for (int i = lane; i < front; i += 32) {
      base[i + k * ld] = memory.l[k * lu_tiny_stride + i];
      base[lu.partner + i + k * ld] = memory.u[k * lu_tiny_stride + i];
    }
  }
}

}  // namespace gpusupernodal::cuda
