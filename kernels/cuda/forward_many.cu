/// \file
/// L Y = X for `Columns` right-hand sides at once. Memory-bound as that for one: 8 bytes an entry of L, and rows of vectors.

#include "kernels/cuda/solve_many.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

template <class T, int Columns>
constexpr int stride = vector_stride<T>(Columns);

template <class T, int Columns>
union alignas(16) ForwardRoom {
  struct {
    WarpSums<T, Columns, solve_outputs> sums;
    int4 sources[solve_block];  ///< Of the rows of a block.
  } block;
  T solved[tile_size][stride<T, Columns>];
  T of_warp[solve_warps][warp_width][stride<T, Columns>];
};

/// Sources of this lane's two rows of the tile that begins at `row`.
template <class T>
__device__ void read_sources(const SolveData<T>& data, const SolveTask& task, int row, int end, Sources (&sources)[2]) {
  const Lane lane;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int at = row + 8 * h + lane.group;
    sources[h] = Sources();
    sources[h].read(data, at < end ? front_row(data, task, at) : -1);
  }
}

/// Contribution of rows row_begin … row_end−1 from at most tile_size columns, a warp 16 rows. `sources`: of its first tile.
template <class T, int Columns, int Warps>
__device__ void subtract_below(const Team<Warps>& team, const SolveData<T>& data, const SolveTask& task, int row_begin,
                               int row_end, Sources (&sources)[2], T (*z)[stride<T, Columns>]) {
  const Lane lane;
  const std::int64_t ld = task.ld;
  const T* const base = data.values + task.offset;
  for (int row = row_begin + 16 * team.warp; row < row_end; row += 16 * Warps) {
    if (row > row_begin + 16 * team.warp) read_sources(data, task, row, row_end, sources);
    Sums<T, Columns> before;
    gather(data, sources, before);
    Sums<T, Columns> sums[1];
    const T* const rows[2] = {base + min(row + lane.group, row_end - 1), base + min(row + 8 + lane.group, row_end - 1)};
    add_products<8>(
        0, task.width, [&](int, int h, int k) { return rows[h][k * ld]; },
        [&](int n, int k) { return z[k][8 * n + lane.group]; }, sums);
    for_each_pair(sums[0], [&](int h, int n, const Pair<T>& product) {
      const int at = row + 8 * h + lane.group;
      const Pair<T> result{before.value[n][2 * h] - product.x, before.value[n][2 * h + 1] - product.y};
      if (at < row_end) *pair_at<Columns>(data.u, contribution(task, at), n) = result;
    });
  }
}

/// t := the right-hand sides of a front's own columns with what children left, in 16-row tiles.
template <class T, int Columns, int Warps>
__device__ void load_own(const Team<Warps>& team, const SolveData<T>& data, const SolveTask& task, Sources (&sources)[2],
                         T (*t)[stride<T, Columns>]) {
  const Lane lane;
  for (int row = 16 * team.warp; row < task.width; row += 16 * Warps) {
    if (row > 16 * team.warp) read_sources(data, task, row, task.width, sources);
    RowPart<T, Columns> right[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int at = row + 8 * h + lane.group;
      right[h].load(data.x, at < task.width ? task.first_column + at : -1);
    }
    Sums<T, Columns> sums;
    gather(data, sources, sums);
#pragma unroll
    for (int h = 0; h < 2; ++h) right[h].add_to(h, sums);
    for_each_pair(sums, [&](int h, int n, const Pair<T>& pair) {
      const int at = row + 8 * h + lane.group;
      if (at < task.width) *reinterpret_cast<Pair<T>*>(&t[at][8 * n + 2 * lane.quad]) = pair;
    });
  }
}

/// The product of a narrow front's inverse with t, into t and the solution.
template <class T, int Columns, int Warps>
__device__ void solve_own(const Team<Warps>& team, const SolveData<T>& data, const SolveTask& task,
                          T (*t)[stride<T, Columns>]) {
  const Lane lane;
  const std::int64_t ld = task.ld;
  const T* const base = data.values + task.offset;
  Sums<T, Columns> sums[Team<Warps>::tiles][1];
#pragma unroll
  for (int m = 0; m < Team<Warps>::tiles; ++m) {
    const int row = 16 * (team.warp + m * Warps);
    if (row >= task.width) continue;
    const int own[2] = {row + lane.group, row + 8 + lane.group};
    const T* const inverse[2] = {base + min(own[0], task.width - 1) * ld, base + min(own[1], task.width - 1) * ld};
    add_products<8>(
        0, min(task.width, row + 16), [&](int, int h, int k) { return k < own[h] ? inverse[h][k] : T(0); },
        [&](int n, int k) { return t[k][8 * n + lane.group]; }, sums[m]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int at = min(own[h], task.width - 1);
      const T root = reciprocal(base[at * (ld + 1)]);
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        sums[m][0].value[n][2 * h] += root * t[at][8 * n + 2 * lane.quad];
        sums[m][0].value[n][2 * h + 1] += root * t[at][8 * n + 2 * lane.quad + 1];
      }
    }
  }
  team.sync();
#pragma unroll
  for (int m = 0; m < Team<Warps>::tiles; ++m) {
    for_each_pair(sums[m][0], [&](int h, int n, const Pair<T>& pair) {
      const int at = 16 * (team.warp + m * Warps) + 8 * h + lane.group;
      if (at >= task.width) return;
      *reinterpret_cast<Pair<T>*>(&t[at][8 * n + 2 * lane.quad]) = pair;
      *pair_at<Columns>(data.y, task.first_column + at, n) = pair;
    });
  }
  team.sync();
}

/// A narrow front.
template <class T, int Columns, int Warps>
__device__ int whole(const Team<Warps>& team, const SolveData<T>& data, const SolveTask& task, T (*t)[stride<T, Columns>]) {
  Sources own[2], below[2];
  read_sources(data, task, 16 * team.warp, task.width, own);
  read_sources(data, task, task.width + 16 * team.warp, task.front, below);
  if (task.wait >= 0) {
    prefetch_block(data.values + task.offset, task.ld, task.front, task.width, team.thread, 32 * Warps);
  }
  const int claimed = team.await(data.sweep, task);
  load_own<T, Columns>(team, data, task, own, t);
  team.sync();
  solve_own<T, Columns>(team, data, task, t);
  subtract_below<T, Columns>(team, data, task, task.width, task.front, below, t);
  return claimed;
}

template <class T, int Columns>
__device__ int tall_rows(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  const Team<solve_warps> team;
  Sources sources[2];
  read_sources(data, task, task.row_begin + 16 * team.warp, task.row_end, sources);
  prefetch_block(data.values + task.offset + task.row_begin, task.ld, task.row_end - task.row_begin, task.width, team.thread,
                 solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  for (int index = team.thread; index < task.width * Columns; index += solve_threads) {
    room.solved[index / Columns][index % Columns] = __ldcg(data.y + std::int64_t{task.first_column} * Columns + index);
  }
  __syncthreads();
  subtract_below<T, Columns>(team, data, task, task.row_begin, task.row_end, sources, room.solved);
  return claimed;
}

/// 32 rows a warp, one to four times 32 of them; the other warps over columns.
template <class T, int Columns>
__device__ int rows(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  const Lane lane;
  const int groups = task.row_end - task.row_begin <= 32 ? 1 : (task.row_end - task.row_begin <= 64 ? 2 : 4);
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int part = warp / groups;
  const std::int64_t ld = task.ld;
  const T* const base = data.values + task.offset + task.column * ld;
  prefetch_block(base + task.row_begin, ld, task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x),
                 solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  const int share = share_of(task.width, solve_warps / groups);
  const T* const solved = data.y + (std::int64_t{task.first_column} + task.column) * Columns + lane.group;
  const T* entries[2][2];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    entries[e / 2][e % 2] = base + min(task.row_begin + warp % groups * 32 + 8 * e + lane.group, task.row_end - 1);
  }
  Sums<T, Columns> sums[2];
  add_products<4>(
      part * share, min(task.width, (part + 1) * share), [&](int m, int h, int k) { return entries[m][h][k * ld]; },
      [&](int n, int k) { return __ldcg(solved + k * Columns + 8 * n); }, sums);
  store_sums(sums, room.block.sums[warp]);
  __syncthreads();
  for_each_total<T, Columns>(room.block.sums, groups, [&](int at, int column, T total) {
    const int row = task.row_begin + at;
    if (row >= task.row_end) return;
    const bool own = row < task.panel_width;
    T* const target =
        (own ? data.x + (std::int64_t{task.first_column} + row) * Columns : data.u + contribution(task, row) * Columns) +
        column;
    T before = own || task.column > 0 ? __ldcg(target) : T(0);
    if (task.column == 0) {
      Sources sources;
      sources.read(data, front_row(data, task, row));
      before += gather_one<Columns>(data, sources, column);
    }
    *target = before - total;
  });
  return claimed;
}

/// Reads ahead where the contributions to a block's rows come from.
template <class T, int Columns>
__device__ void stage_sources(const SolveData<T>& data, const SolveTask& task, int end, ForwardRoom<T, Columns>& room) {
  for (int k = static_cast<int>(threadIdx.x); k < end; k += solve_threads) {
    Sources sources;
    sources.read(data, task.first_column + k);
    room.block.sources[k] = make_int4(sources.first[0], sources.first[1], sources.first[2], sources.more);
  }
}

/// Entry (k, column) of a block's vectors.
template <class T, int Columns>
__device__ T block_entry(const SolveData<T>& data, const SolveTask& task, const ForwardRoom<T, Columns>& room, int k,
                         int column) {
  const std::int64_t row = std::int64_t{task.first_column} + task.column + k;
  const T right = __ldcg(data.x + row * Columns + column);
  return task.column > 0 ? right : right + gather_one<Columns>(data, Sources(room.block.sources[k]), column);
}

/// 32 rows of a block's inverse, its columns over the warps.
template <class T, int Columns>
__device__ int diagonal(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  const Lane lane;
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const std::int64_t ld = task.ld;
  const int end = task.row_end - task.column;
  const int begin = task.row_begin - task.column;
  const T* const corner = data.values + task.offset + task.column * (ld + 1);
  if (task.column == 0) stage_sources(data, task, end, room);
  prefetch_block(corner + begin * ld, ld, end, end - begin, static_cast<int>(threadIdx.x), solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  const int share = share_of(end, solve_warps);
  Sums<T, Columns> sums[2];
  add_products<2>(
      warp * share, min(end, (warp + 1) * share),
      [&](int m, int h, int k) {
        const int j = begin + 16 * m + 8 * h + lane.group;
        return k < j && j < end ? corner[k + j * ld] : T(0);
      },
      [&](int n, int k) { return block_entry(data, task, room, k, 8 * n + lane.group); }, sums);
  store_sums(sums, room.block.sums[warp]);
  __syncthreads();
  for_each_total<T, Columns>(room.block.sums, 1, [&](int at, int column, T total) {
    const int j = begin + at;
    if (j >= end) return;
    const T own = reciprocal(corner[j * (ld + 1)]) * block_entry(data, task, room, j, column);
    data.y[(std::int64_t{task.first_column} + task.column + j) * Columns + column] = total + own;
  });
  return claimed;
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads, 2) forward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) ForwardRoom<T, Columns> room;
  run_sweep(
      data.sweep, [&](const SolveTask& task) { whole<T, Columns>(Team<1>(), data, task, room.of_warp[threadIdx.x / 32u]); },
      [&](const SolveTask& task) {
        switch (task.kind) {
          case SolveKind::whole:
            return whole<T, Columns>(Team<solve_warps>(), data, task, room.solved);
          case SolveKind::diagonal:
            return diagonal(data, task, room);
          case SolveKind::rows:
            return rows(data, task, room);
          default:
            return tall_rows(data, task, room);
        }
      });
}

}  // namespace

template <class T, int Columns>
SweepKernel<T> forward_many() {
  return forward_kernel<T, Columns>;
}

template SweepKernel<float> forward_many<float, solve_few>();
template SweepKernel<float> forward_many<float, solve_many>();
template SweepKernel<double> forward_many<double, solve_few>();
template SweepKernel<double> forward_many<double, solve_many>();

}  // namespace gpusupernodal::cuda
