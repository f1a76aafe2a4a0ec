#pragma once

/// \file
/// L Y = X for a whole narrow front and several right-hand sides, by one CTA or one warp.

#include "kernels/cuda/solve_stage.cuh"

namespace gpusupernodal::cuda {

/// Reads the sources of this lane's two rows of the tile that begins at `row`.
template <class T>
__device__ void read_sources(const SolveData<T>& data, const SolveFront& task, int row, int end, Sources (&sources)[2]) {
  const Lane lane;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int at = row + 8 * h + lane.group;
    sources[h] = Sources();
    sources[h].read(data, at < end ? front_row(data, task, at) : -1);
  }
}

/// Computes the contribution of the rows below from a narrow front's columns, 16 rows per warp and round, beginning at
/// `row`. `sums`: the children's contributions to the first rows (CTA only). z lies in shared memory.
template <class T, int Columns, class Team>
__device__ void subtract_below(const SolveData<T>& data, const SolveFront& task, const Panel<T>& panel, int row,
                               Sums<T, Columns> sums, FrontVectors<T, Columns> z) {
  const Lane lane;
  const std::int64_t ld = panel.ld;
  const T* const base = panel.base;
  for (bool first = Team::warps > 1; row < task.front; row += 16 * Team::warps, first = false) {
    if (!first) {
      Sources sources[2];
      read_sources(data, task, row, task.front, sources);
      sums = Sums<T, Columns>();
      gather(data, sources, sums);
    }
    sums.negate();
    const T* const rows[2] = {base + min(row + lane.group, task.front - 1),
                              base + min(row + 8 + lane.group, task.front - 1)};
    add_products(
        0, task.panel_width, [&](int h, int k) { return rows[h][k * ld]; },
        [&](int n, int k) { return z[k][8 * n + lane.group]; }, sums);
    for_each_pair(sums, [&](int h, int n, const Pair<T>& product) {
      const int at = row + 8 * h + lane.group;
      if (at < task.front) *pair_at<Columns>(data.u, contribution(task, at), n) = Pair<T>{-product.x, -product.y};
    });
  }
}

/// Loads the right-hand sides of this lane's two rows of the tile that begins at `row`.
template <class T, int Columns>
__device__ void load_right(const SolveData<T>& data, const SolveFront& task, int row, RowPart<T, Columns> (&right)[2]) {
  const Lane lane;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int at = row + 8 * h + lane.group;
    right[h].load(data.x, at < task.panel_width ? task.first_column + at : -1);
  }
}

/// Sets t to the right-hand sides of a front's own columns plus the children's contributions, in 16-row tiles.
/// `sources` and `right` belong to the first tile.
template <class T, int Columns, class Team>
__device__ void load_own(const Team& team, const SolveData<T>& data, const SolveFront& task, Sources (&sources)[2],
                         RowPart<T, Columns> (&right)[2], FrontVectors<T, Columns> t) {
  const Lane lane;
  for (int row = 16 * team.warp(); row < task.panel_width; row += 16 * Team::warps) {
    if (row > 16 * team.warp()) {
      read_sources(data, task, row, task.panel_width, sources);
      load_right(data, task, row, right);
    }
    Sums<T, Columns> sums;
    gather(data, sources, sums);
#pragma unroll
    for (int h = 0; h < 2; ++h) right[h].add_to(h, sums);
    for_each_pair(sums, [&](int h, int n, const Pair<T>& pair) {
      const int at = row + 8 * h + lane.group;
      if (at < task.panel_width) *reinterpret_cast<Pair<T>*>(&t[at][8 * n + 2 * lane.quad]) = pair;
    });
  }
}

/// Multiplies a narrow front's inverse by t and stores the result in t and the solution.
template <class T, int Columns, class Team>
__device__ void solve_own(const Team& team, const SolveData<T>& data, const SolveFront& task, const Panel<T>& panel,
                          FrontVectors<T, Columns> t) {
  const Lane lane;
  const std::int64_t ld = panel.ld;
  const T* const base = panel.base;
  Sums<T, Columns> sums[narrow_tiles<Team>];
#pragma unroll
  for (int m = 0; m < narrow_tiles<Team>; ++m) {
    const int row = 16 * (team.warp() + m * Team::warps);
    if (row >= task.panel_width) continue;
    const int own[2] = {row + lane.group, row + 8 + lane.group};
    const T* const inverse[2] = {base + min(own[0], task.panel_width - 1) * ld,
                                 base + min(own[1], task.panel_width - 1) * ld};
    add_products(
        0, min(task.panel_width, row + 16), [&](int h, int k) { return k < own[h] ? data(inverse[h][k]) : T(0); },
        [&](int n, int k) { return t[k][8 * n + lane.group]; }, sums[m]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int at = min(own[h], task.panel_width - 1);
      const T root = reciprocal(base[at * (ld + 1)]);
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        sums[m].value[n][2 * h] += root * t[at][8 * n + 2 * lane.quad];
        sums[m].value[n][2 * h + 1] += root * t[at][8 * n + 2 * lane.quad + 1];
      }
    }
  }
  team.sync();
#pragma unroll
  for (int m = 0; m < narrow_tiles<Team>; ++m) {
    for_each_pair(sums[m], [&](int h, int n, const Pair<T>& pair) {
      const int at = 16 * (team.warp() + m * Team::warps) + 8 * h + lane.group;
      if (at >= task.panel_width) return;
      *reinterpret_cast<Pair<T>*>(&t[at][8 * n + 2 * lane.quad]) = pair;
      *pair_at<Columns>(data.y, task.first_column + at, n) = pair;
    });
  }
  team.sync();
}

/// Solves a whole narrow front. `t` and `near_panel` are shared memory for its vectors and its panel. Calls fetch() once the
/// front's inputs are available.
template <class T, int Columns, class Team, class Task, class Fetch>
__device__ void forward_narrow(const Team& team, const SolveData<T>& data, const Task& task, FrontVectors<T, Columns> t,
                               T* near_panel, int near_bytes, Fetch fetch) {
  // Warps other than those of the first own columns begin with the rows below.
  const int below = task.panel_width + 16 * ((team.warp() + Team::warps / 2) % Team::warps);
  Sources own[2], sources[2];
  RowPart<T, Columns> right[2];
  read_sources(data, task, 16 * team.warp(), task.panel_width, own);
  read_sources(data, task, below, task.front, sources);
  load_right(data, task, 16 * team.warp(), right);
  const Panel<T> panel(team, data, task, near_panel, near_bytes);
  await_inputs<Team>(data.sweep, task);
  fetch();
  Sums<T, Columns> before;
  if constexpr (Team::warps > 1) gather(data, sources, before);
  load_own<T, Columns>(team, data, task, own, right, t);
  wait_for_copies<0>();
  team.sync();
  solve_own<T, Columns>(team, data, task, panel, t);
  subtract_below<T, Columns, Team>(data, task, panel, below, before, t);
  if constexpr (Team::warps == 1) __syncwarp();
}

}  // namespace gpusupernodal::cuda
