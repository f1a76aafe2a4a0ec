/// \file
/// Lᵀ X = Y for `Columns` right-hand sides together.

#include "kernels/cuda/solve_stage.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

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
      right[s][n] = __ldcg(data.x + std::int64_t{from[s]} * Columns + 8 * n + lane.group);
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
__device__ void add_columns(const Panel<T>& panel, const int (&column)[Tiles][2], int row_begin, int row_end,
                            Sums<T, Columns> (&sums)[Tiles], Load load) {
  const T* entries[Tiles][2];
#pragma unroll
  for (int m = 0; m < Tiles; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h) entries[m][h] = panel.base + column[m][h] * panel.ld;
  }
  add_loaded<(Tiles == 1 ? 8 : 4)>(
      row_begin, row_end, [&](int m, int h, int k) { return entries[m][h][k]; }, load, sums);
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
  add_columns(panel, column, task.panel_width, task.front, sums,
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

/// Solves a narrow front: one warp per tile of 16 columns, with the rows distributed over the warps of a tile.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::whole>& task, std::int32_t* places,
                         const NextTask& next) {
  using WarpSums = T(*)[16][Columns];
  constexpr int sums_bytes = solve_warps * 16 * Columns * static_cast<int>(sizeof(T));
  const Cta team;
  const Lane lane;
  const FrontVectors<T, Columns> v = reinterpret_cast<FrontVectors<T, Columns>>(shared_memory_base());
  const WarpSums of_warp = reinterpret_cast<WarpSums>(shared_memory_base() + memory_head<T, Columns>);
  constexpr int used = memory_head<T, Columns> + sums_bytes;
  const Panel<T> panel(team, data, task, reinterpret_cast<T*>(shared_memory_base() + used), shared_memory_bytes() - used);
  const SolvedRows rows(data, task, task.panel_width, task.front, places, SolvedRows::max_ahead, team.thread(),
                        solve_threads);
  constexpr int each = tile_size * Columns / solve_threads;
  T y[each];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int index = team.thread() + i * solve_threads;
    y[i] = index < task.panel_width * Columns ? __ldcg(data.y + std::int64_t{task.first_column} * Columns + index) : T(0);
  }
  const int log_tiles = task.panel_width > 32 ? 2 : (task.panel_width > 16 ? 1 : 0);
  const int tiles = 1 << log_tiles;
  const int parts = solve_warps >> log_tiles;
  const int tile = team.warp() & (tiles - 1);
  const int column[1][2] = {
      {min(16 * tile + lane.group, task.panel_width - 1), min(16 * tile + 8 + lane.group, task.panel_width - 1)}};
  const int share = share_of(task.front - task.panel_width, log_warps - log_tiles);
  const int begin = task.panel_width + (team.warp() >> log_tiles) * share;
  T* const near = reinterpret_cast<T*>(shared_memory_base() + used) + (panel.is_near ? panel.ld * task.panel_width : 0);
  const int memory_left = shared_memory_bytes() - static_cast<int>(reinterpret_cast<char*>(near) - shared_memory_base());
  const bool are_near = rows.fit<T, Columns>(task.front, memory_left);
  await_inputs(data.sweep, task);
  if (are_near) copy_solution<T, Columns>(data, rows, near);
  next.fetch();
  next.finish();
  __syncthreads();
  Sums<T, Columns> sums[1];
  const int end = min(task.front, begin + share);
  if (are_near) {
    add_columns(panel, column, begin, end, sums, [&](int k, int last, auto& right) {
      for_each_ahead<Columns>(k, last, right, [&](int n, int at) {
        return near[right_place<T, Columns>(at - task.panel_width, 8 * n + lane.group)];
      });
    });
  } else {
    add_columns(panel, column, begin, end, sums,
                [&](int k, int last, auto& right) { load_solution<Columns>(data, task, rows, k, last, right); });
  }
  store_sums(sums, of_warp[team.warp()]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int index = team.thread() + i * solve_threads;
    const int at = index / Columns;
    if (at >= task.panel_width) continue;
    T sum = T(0);
    for (int p = 0; p < parts; ++p) sum += of_warp[p * tiles + at / 16][at % 16][index % Columns];
    v[at][index % Columns] = y[i] - sum;
  }
  __syncthreads();
  finish_own<T, Columns>(team, data, task, panel, v);
}

/// Whether this CTA's chunk is the last of the block's chunks to be multiplied with these columns. If so, the results
/// of the other chunks are visible.
__device__ inline bool is_last_chunk(const SolveSweep& sweep, const TaskOf<SolveKind::columns>& task) {
  __shared__ int before;
  if (threadIdx.x == 0) before = count_and_see(sweep.counters, task.finished);
  __syncthreads();
  return before == task.chunks - 1;
}

/// Multiplies 32 columns, with the rows distributed over the warps. The last finished chunk subtracts the sums of all
/// chunks, in the order of the chunks.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::columns>& task, std::int32_t* places,
                         const NextTask& next) {
  const int width = task.width;
  const WarpShare own(width);
  const int column = own.group * solve_outputs;
  const T* const corner = data.values + task.offset + (task.column + column) * std::int64_t{task.ld};
  const int origin = task.row_begin / 4 * 4;
  const int share = own.steps(task.row_end - origin);
  const int begin = origin + own.part * share;
  auto product =
      stage_product<Along::steps, Columns>(StagePart<T>{corner, task.ld, min(width - column, solve_outputs),
                                                        max(task.row_begin, begin), min(task.row_end, begin + share)},
                                           AllEntries());
  const SolvedRows rows(data, task, task.row_begin, task.row_end, places, SolvedRows::max_ahead,
                        static_cast<int>(threadIdx.x), solve_threads);
  await_inputs(data.sweep, task);
  const auto right = [&](int k) {
    const std::int32_t from = k - rows.begin < rows.count ? rows.from[k - rows.begin] : solved_row(data, task, k);
    return data.x + std::int64_t{from} * Columns;
  };
  product.begin_right(right);
  next.fetch();
  Sums<T, Columns> sums[2];
  product.add_near(sums, right);
  leave_sums(sums);
  __syncthreads();
  const bool alone = task.chunks == 1;
  T* const y = data.y + (std::int64_t{task.first_column} + task.column) * Columns;
  T* const partial = data.u + std::int64_t{task.partial} * Columns;
  for_each_total<T, Columns>(1 << own.log, [&](int at, int right, T total) {
    const int index = at * Columns + right;
    if (at < width) (alone ? y : partial)[index] = alone ? __ldcg(y + index) - total : total;
  });
  if (alone) return;
  __syncthreads();
  if (!is_last_chunk(data.sweep, task)) return;
  const std::int64_t step = std::int64_t{block_width(task.panel_width, task.column)} * Columns;
  const T* const first = partial - task.chunk * step;
  for (int index = static_cast<int>(threadIdx.x); index < width * Columns; index += solve_threads) {
    const T before = __ldcg(y + index);
    T sum = T(0);
#pragma unroll 8
    for (int c = 0; c < task.chunks; ++c) sum += __ldcg(first + c * step + index);
    y[index] = before - sum;
  }
}

/// Computes 32 rows of a block's transposed inverse times its vector, with the columns distributed over the warps.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::diagonal>& task, std::int32_t*,
                         const NextTask& next) {
  const int first = task.row_begin - task.column;
  const int end = task.row_end - task.column;
  const std::int64_t ld = task.ld;
  const T* const corner = data.values + task.offset + task.column * (ld + 1);
  const int share = share_of(task.width - first, log_warps);
  const int begin = first + static_cast<int>(threadIdx.x / 32u) * share;
  auto product = stage_product<Along::outputs, Columns>(
      StagePart<T>{corner + first, ld, end - first, begin, min(task.width, begin + share)}, EntriesAfter{first});
  OwnRows<T, Columns> own(corner, ld, first, end);
  await_inputs(data.sweep, task);
  const T* const rights = data.y + (std::int64_t{task.first_column} + task.column) * Columns;
  const auto right = [=](int k) { return rights + k * Columns; };
  product.begin_right(right);
  next.fetch();
  own.load(rights);
  Sums<T, Columns> sums[2];
  product.add_near(sums, right);
  leave_sums(sums);
  __syncthreads();
  T* const solved = data.x + (std::int64_t{task.first_column} + task.row_begin) * Columns;
  for_each_total<T, Columns>(1, [&](int at, int column, T total) {
    if (first + at < end) solved[at * Columns + column] = total + own.scaled(at);
  });
}

/// A front per warp.
template <class T, int Columns>
__device__ void run_task(const SolveData<T>& data, const TaskOf<SolveKind::warps>& group, std::int32_t* places,
                         const NextTask& next) {
  next.fetch();
  run_warps(data.sweep, group, [&](const auto& task, const auto& next_task) {
    const int warp = static_cast<int>(threadIdx.x / 32u);
    const int bytes = shared_memory_bytes() / solve_warps / 16 * 16;
    whole_by_warp<T, Columns>(data, task, next_task, shared_memory_base() + warp * bytes, bytes,
                              places + warp * (SolvedRows::max_ahead / solve_warps));
  });
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads, 2) backward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) std::int32_t places[SolvedRows::max_ahead];
  run_sweep<WaitFor::counters, BackwardKinds>(
      data.sweep, [&](const auto& task, const NextTask& next) { run_task<T, Columns>(data, task, places, next); });
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
