#pragma once

/// \file
/// Lᵀ X = Y for narrow fronts and several right-hand sides: parts of a front's solve by a CTA, and its solve by one warp.

#include "kernels/cuda/solve_stage.cuh"

namespace gpusupernodal::cuda {

/// Positions in the solution of a front's rows from `begin` on; the first `count` are read ahead into shared memory.
struct SolvedRows {
  static constexpr int max_ahead = 1024;
  const std::int32_t* from;
  int begin;
  int count;  ///< Number of rows read ahead.

  template <class T>
  __device__ SolvedRows(const SolveData<T>& data, const SolveFront& task, int first, int end, std::int32_t* shared_memory,
                        int memory_size, int thread, int threads)
      : from(shared_memory), begin(first), count(min(memory_size, end - first)) {
    for (int i = thread; i < count; i += threads) shared_memory[i] = solved_row(data, task, first + i);
  }
  /// Whether all rows up to `end` are read ahead and their solution takes at most `bytes`.
  template <class T, int Columns>
  __device__ bool fit(int end, int bytes) const {
    return begin + count == end && count * Columns * static_cast<int>(sizeof(T)) <= bytes;
  }
};

/// Loads entries (k + 4s + quad, 8n + group) of the solution of a front's rows, as StagedProduct expects.
template <int Columns, class T, int Ahead>
__device__ void load_solution(const SolveData<T>& data, const SolveFront& task, const SolvedRows& rows, int k, int last,
                              T (&right)[Ahead][Columns / 8]) {
  const Lane lane;
  std::int32_t from[Ahead];
  const bool are_near = min(k + 4 * Ahead, last) - rows.begin <= rows.count;
  if (are_near) {
#pragma unroll
    for (int s = 0; s < Ahead; ++s) from[s] = rows.from[min(k + 4 * s + lane.quad, last - 1) - rows.begin];
  } else {
#pragma unroll
    for (int s = 0; s < Ahead; ++s) from[s] = solved_row(data, task, min(k + 4 * s + lane.quad, last - 1));
  }
#pragma unroll
  for (int s = 0; s < Ahead; ++s) {
#pragma unroll
    for (int n = 0; n < Columns / 8; ++n) {
      right[s][n] = load_l2(data.x + std::int64_t{from[s]} * Columns + 8 * n + lane.group);
    }
  }
}

/// Starts to copy the solution of a front's rows into shared memory, by a CTA. Precondition: all rows are read ahead.
template <class T, int Columns>
__device__ void copy_solution(const SolveData<T>& data, const SolvedRows& rows, T* shared_memory) {
  constexpr int unit = 16 / static_cast<int>(sizeof(T));
  constexpr int lanes = Columns / unit;  // Lanes per row.
  const int thread = static_cast<int>(threadIdx.x);
  const int c = thread % lanes * unit;
  for (int k = thread / lanes; k < rows.count; k += solve_threads / lanes) {
    copy_async<16>(shared_memory + right_place<T, Columns>(k, c), data.x + std::int64_t{rows.from[k]} * Columns + c, true);
  }
}

/// Computes sums += P(row_begin … row_end−1, columns column[m][h])ᵀ · x(those rows) for a narrow front, by one warp.
/// `load` reads x as add_loaded expects.
template <class T, int Columns, int Tiles, class Load>
__device__ void add_columns(const Mirror<T>& mirror, const Panel<T>& panel, const int (&column)[Tiles][2], int row_begin,
                            int row_end, Sums<T, Columns> (&sums)[Tiles], Load load) {
  const T* entries[Tiles][2];
#pragma unroll
  for (int m = 0; m < Tiles; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h) entries[m][h] = panel.base + column[m][h] * panel.ld;
  }
  add_loaded<(Tiles == 1 ? 8 : 4)>(
      row_begin, row_end, [&](int m, int h, int k) { return mirror(entries[m][h][k]); }, load, sums);
}

/// Sets x := transposed inverse of a narrow front's diagonal block times v.
template <class T, int Columns, class Team>
__device__ void finish_own(const Team& team, const SolveData<T>& data, const SolveFront& task, const Panel<T>& panel,
                           FrontVectors<T, Columns> v) {
  const Lane lane;
  for (int row = 16 * team.warp(); row < task.panel_width; row += 16 * Team::warps) {
    const int own[2] = {row + lane.group, row + 8 + lane.group};
    const T* const inverse[2] = {panel.base + min(own[0], task.panel_width - 1),
                                 panel.base + min(own[1], task.panel_width - 1)};
    Sums<T, Columns> sums;
    add_products(
        row, task.panel_width, [&](int h, int j) { return j > own[h] ? inverse[h][j * panel.ld] : T(0); },
        [&](int n, int j) { return v[j][8 * n + lane.group]; }, sums);
    for_each_pair(sums, [&](int h, int n, const Pair<T>& sum) {
      if (own[h] >= task.panel_width) return;
      const T root = reciprocal(inverse[h][own[h] * panel.ld]);
      const T* const from = &v[own[h]][8 * n + 2 * lane.quad];
      *pair_at<Columns>(data.x, task.first_column + own[h], n) = Pair<T>{sum.x + root * from[0], sum.y + root * from[1]};
    });
  }
}

/// Prefetches what a warp's next front reads first into the L2 cache.
template <int Columns, class T>
__device__ void prefetch_front(const SolveData<T>& data, const SolveFront& task) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  prefetch_block(data.values + task.offset, task.ld, task.front, task.panel_width, lane, 32);
  prefetch_range(data.rows + task.rows, task.front - task.panel_width, lane);
  prefetch_range(data.y + std::int64_t{task.first_column} * Columns, task.panel_width * Columns, lane);
}

/// Solves a small front by one warp; `next` is the warp's next front. `shared_memory` holds its vectors and, behind
/// them, its panel.
template <class T, int Columns>
__device__ void whole_by_warp(const SolveData<T>& data, const TaskOf<SolveKind::whole_by_warp>& task, const SolveFront& next,
                              char* shared_memory, int memory_bytes, std::int32_t* places) {
  constexpr int vector_bytes = warp_width * front_stride<T, Columns> * static_cast<int>(sizeof(T));
  const FrontVectors<T, Columns> v = reinterpret_cast<FrontVectors<T, Columns>>(shared_memory);
  const OneWarp team;
  const Lane lane;
  const Panel<T> panel(team, data, task, reinterpret_cast<T*>(shared_memory + vector_bytes), memory_bytes - vector_bytes);
  const SolvedRows rows(data, task, task.panel_width, task.front, places, SolvedRows::max_ahead / solve_warps, team.thread(),
                        32);
  int column[2][2];
  Sums<T, Columns> sums[2];  // Products minus right-hand sides.
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int at = 8 * e + lane.group;
    column[e / 2][e % 2] = min(at, task.panel_width - 1);
    RowPart<T, Columns> y;
    y.load(data.y, at < task.panel_width ? task.first_column + at : -1);
    y.add_to(e % 2, sums[e / 2]);
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) sums[m].negate();
  if (next.offset != task.offset) prefetch_front<Columns>(data, next);
  await_inputs<OneWarp>(data.sweep, task);
  wait_for_copies<0>();
  __syncwarp();
  add_columns(data, panel, column, task.panel_width, task.front, sums,
              [&](int k, int last, auto& right) { load_solution<Columns>(data, task, rows, k, last, right); });
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    for_each_pair(sums[m], [&](int h, int n, const Pair<T>& sum) {
      const int at = 16 * m + 8 * h + lane.group;
      if (at < task.panel_width) *reinterpret_cast<Pair<T>*>(&v[at][8 * n + 2 * lane.quad]) = Pair<T>{-sum.x, -sum.y};
    });
  }
  __syncwarp();
  finish_own<T, Columns>(team, data, task, panel, v);
  __syncwarp();
}

}  // namespace gpusupernodal::cuda
