/// \file
/// Lᵀ X = Y for `Columns` right-hand sides at once.

#include "kernels/cuda/solve_many.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T, int Columns>
constexpr int stride = vector_stride<T>(Columns);

template <class T, int Columns>
union alignas(16) BackwardRoom {
  WarpSums<T, Columns, solve_outputs> sums;
  struct {
    WarpSums<T, Columns, 16> sums;
    T v[tile_size][stride<T, Columns>];
  } front;
  T of_warp[solve_warps][warp_width][stride<T, Columns>];
};

/// The solution's places of a front's rows from `begin` on, the first of them read ahead into shared memory.
struct SolvedRows {
  static constexpr int most = 1024;
  const std::int32_t* from;
  int begin;
  int count;  ///< Of those read ahead.

  template <class T>
  __device__ SolvedRows(const SolveData<T>& data, const SolveTask& task, int first, int end, std::int32_t* room,
                        int room_size, int thread, int threads)
      : from(room), begin(first), count(min(room_size, end - first)) {
    for (int i = thread; i < count; i += threads) room[i] = solved_row(data, task, first + i);
  }
};

/// sums += P(row_begin … row_end−1, columns column[m][h])ᵀ · x(those rows), by a warp.
template <class T, int Columns, int Tiles>
__device__ void add_columns(const SolveData<T>& data, const SolveTask& task, const SolvedRows& rows,
                            const int (&column)[Tiles][2], int row_begin, int row_end, Sums<T, Columns> (&sums)[Tiles]) {
  const Lane lane;
  const T* entries[Tiles][2];
#pragma unroll
  for (int m = 0; m < Tiles; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h)
      entries[m][h] = data.values + task.offset + column[m][h] * static_cast<std::int64_t>(task.ld);
  }
  add_products<(Tiles == 1 ? 8 : 4)>(
      row_begin, row_end, [&](int m, int h, int k) { return entries[m][h][k]; },
      [&](int n, int k) {
        const int ahead = k - rows.begin;
        const int from = ahead < rows.count ? rows.from[ahead] : solved_row(data, task, k);
        return __ldcg(data.x + std::int64_t{from} * Columns + 8 * n + lane.group);
      },
      sums);
}

/// x := the transposed inverse of a narrow front's diagonal block times v.
template <class T, int Columns, int Warps>
__device__ void finish_own(const Team<Warps>& team, const SolveData<T>& data, const SolveTask& task,
                           T (*v)[stride<T, Columns>]) {
  const Lane lane;
  const std::int64_t ld = task.ld;
  const T* const base = data.values + task.offset;
  for (int row = 16 * team.warp; row < task.width; row += 16 * Warps) {
    const int own[2] = {row + lane.group, row + 8 + lane.group};
    Sums<T, Columns> sums[1];
    add_products<8>(
        row, task.width, [&](int, int h, int j) { return j > own[h] ? base[own[h] + j * ld] : T(0); },
        [&](int n, int j) { return v[j][8 * n + lane.group]; }, sums);
    for_each_pair(sums[0], [&](int h, int n, const Pair<T>& sum) {
      if (own[h] >= task.width) return;
      const T root = reciprocal(base[own[h] * (ld + 1)]);
      const T* const from = &v[own[h]][8 * n + 2 * lane.quad];
      *pair_at<Columns>(data.x, task.first_column + own[h], n) = Pair<T>{sum.x + root * from[0], sum.y + root * from[1]};
    });
  }
}

/// A small front in a warp.
template <class T, int Columns>
__device__ void whole_by_warp(const SolveData<T>& data, const SolveTask& task, T (*v)[stride<T, Columns>],
                              std::int32_t* places) {
  const Team<1> team;
  const SolvedRows rows(data, task, task.width, task.front, places, SolvedRows::most / solve_warps, team.thread, 32);
  const Lane lane;
  if (task.wait >= 0) prefetch_block(data.values + task.offset, task.ld, task.front, task.width, team.thread, 32);
  int column[2][2];
#pragma unroll
  for (int e = 0; e < 4; ++e) column[e / 2][e % 2] = min(8 * e + lane.group, task.width - 1);
  team.await(data.sweep, task);
  Sums<T, Columns> sums[2];
  add_columns(data, task, rows, column, task.width, task.front, sums);
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    for_each_pair(sums[m], [&](int h, int n, const Pair<T>& sum) {
      const int at = 16 * m + 8 * h + lane.group;
      if (at >= task.width) return;
      const Pair<T> y = __ldcg(pair_at<Columns>(data.y, task.first_column + at, n));
      *reinterpret_cast<Pair<T>*>(&v[at][8 * n + 2 * lane.quad]) = Pair<T>{y.x - sum.x, y.y - sum.y};
    });
  }
  __syncwarp();
  finish_own<T, Columns>(team, data, task, v);
}

/// A narrow front: a warp a tile of 16 columns, the rows over the warps of a tile.
template <class T, int Columns>
__device__ int whole(const SolveData<T>& data, const SolveTask& task, BackwardRoom<T, Columns>& room, std::int32_t* places) {
  const Team<solve_warps> team;
  const SolvedRows rows(data, task, task.width, task.front, places, SolvedRows::most, team.thread, solve_threads);
  const Lane lane;
  prefetch_block(data.values + task.offset, task.ld, task.front, task.width, team.thread, solve_threads);
  const int tiles = task.width > 32 ? 4 : (task.width > 16 ? 2 : 1);
  const int parts = solve_warps / tiles;
  const int tile = team.warp % tiles;
  const int part = team.warp / tiles;
  const int column[1][2] = {{min(16 * tile + lane.group, task.width - 1), min(16 * tile + 8 + lane.group, task.width - 1)}};
  const int share = share_of(task.front - task.width, parts);
  const int begin = task.width + part * share;
  const int claimed = await_inputs(data.sweep, task);
  Sums<T, Columns> sums[1];
  add_columns(data, task, rows, column, begin, min(task.front, begin + share), sums);
  store_sums(sums, room.front.sums[team.warp]);
  __syncthreads();
  for (int index = team.thread; index < task.width * Columns; index += solve_threads) {
    const int at = index / Columns;
    T sum = T(0);
    for (int p = 0; p < parts; ++p) sum += room.front.sums[p * tiles + at / 16][at % 16][index % Columns];
    room.front.v[at][index % Columns] = __ldcg(data.y + std::int64_t{task.first_column} * Columns + index) - sum;
  }
  __syncthreads();
  finish_own<T, Columns>(team, data, task, room.front.v);
  return claimed;
}

/// 32 columns, the rows over the warps.
template <class T, int Columns>
__device__ int columns(const SolveData<T>& data, const SolveTask& task, BackwardRoom<T, Columns>& room,
                       std::int32_t* places) {
  const SolvedRows rows(data, task, task.row_begin, task.row_end, places, SolvedRows::most, static_cast<int>(threadIdx.x),
                        solve_threads);
  const Lane lane;
  const int warp = static_cast<int>(threadIdx.x / 32u);
  prefetch_block(data.values + task.offset + task.row_begin + task.column * static_cast<std::int64_t>(task.ld), task.ld,
                 task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x), solve_threads);
  int column[2][2];
#pragma unroll
  for (int e = 0; e < 4; ++e) column[e / 2][e % 2] = task.column + min(8 * e + lane.group, task.width - 1);
  const int share = share_of(task.row_end - task.row_begin, solve_warps);
  const int begin = task.row_begin + warp * share;
  const int claimed = await_inputs(data.sweep, task);
  Sums<T, Columns> sums[2];
  add_columns(data, task, rows, column, begin, min(task.row_end, begin + share), sums);
  store_sums(sums, room.sums[warp]);
  __syncthreads();
  for_each_total<T, Columns>(room.sums, 1, [&](int at, int right, T total) {
    if (at < task.width) data.u[(std::int64_t{task.partial} + at) * Columns + right] = total;
  });
  return claimed;
}

/// Entry (j, column) of a block's vectors: the right-hand side less the partial sums.
template <class T, int Columns>
__device__ T block_entry(const SolveData<T>& data, const SolveTask& task, int j, int column) {
  const T* const partial = data.u + (std::int64_t{task.partial} + j) * Columns + column;
  T sum = T(0);
#pragma unroll 8
  for (int c = 0; c < task.chunks; ++c) sum += __ldcg(partial + std::int64_t{c} * task.width * Columns);
  return __ldcg(data.y + (std::int64_t{task.first_column} + task.column + j) * Columns + column) - sum;
}

/// 32 rows of a block's transposed inverse, its columns over the warps.
template <class T, int Columns>
__device__ int diagonal(const SolveData<T>& data, const SolveTask& task, BackwardRoom<T, Columns>& room) {
  const Lane lane;
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int first = task.row_begin - task.column;
  const int end = task.row_end - task.column;
  const std::int64_t ld = task.ld;
  const T* const corner = data.values + task.offset + task.column * (ld + 1);
  prefetch_block(corner + first * (ld + 1), ld, end - first, task.width - first, static_cast<int>(threadIdx.x),
                 solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  const int share = share_of(task.width - first, solve_warps);
  const int begin = first + warp * share;
  Sums<T, Columns> sums[2];
  add_products<4>(
      begin, min(task.width, begin + share),
      [&](int m, int h, int j) {
        const int row = first + 16 * m + 8 * h + lane.group;
        return j > row && row < end ? corner[row + j * ld] : T(0);
      },
      [&](int n, int j) { return block_entry<T, Columns>(data, task, j, 8 * n + lane.group); }, sums);
  store_sums(sums, room.sums[warp]);
  __syncthreads();
  for_each_total<T, Columns>(room.sums, 1, [&](int at, int right, T total) {
    const int row = first + at;
    if (row >= end) return;
    const T own = reciprocal(corner[row * (ld + 1)]) * block_entry<T, Columns>(data, task, row, right);
    data.x[(std::int64_t{task.first_column} + task.column + row) * Columns + right] = total + own;
  });
  return claimed;
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads, 2) backward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) BackwardRoom<T, Columns> room;
  __shared__ __align__(shared_alignment) std::int32_t places[SolvedRows::most];
  run_sweep(
      data.sweep,
      [&](const SolveTask& task) {
        whole_by_warp<T, Columns>(data, task, room.of_warp[threadIdx.x / 32u],
                                  places + threadIdx.x / 32u * (SolvedRows::most / solve_warps));
      },
      [&](const SolveTask& task) {
        switch (task.kind) {
          case SolveKind::whole:
            return whole(data, task, room, places);
          case SolveKind::diagonal:
            return diagonal(data, task, room);
          default:
            return columns(data, task, room, places);
        }
      });
}

}  // namespace

template <class T, int Columns>
SweepKernel<T> backward_many() {
  return backward_kernel<T, Columns>;
}

template SweepKernel<float> backward_many<float, solve_few>();
template SweepKernel<float> backward_many<float, solve_many>();
template SweepKernel<double> backward_many<double, solve_few>();
template SweepKernel<double> backward_many<double, solve_many>();

}  // namespace gpusupernodal::cuda
