/// \file
/// Lᵀ X = Y for `Columns` right-hand sides together.

#include "kernels/cuda/backward_narrow.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

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
    y[i] = index < task.panel_width * Columns ? load_l2(data.y + std::int64_t{task.first_column} * Columns + index) : T(0);
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
    add_columns(data, panel, column, begin, end, sums, [&](int k, int last, auto& right) {
      for_each_ahead<Columns>(k, last, right, [&](int n, int at) {
        return near[right_place<T, Columns>(at - task.panel_width, 8 * n + lane.group)];
      });
    });
  } else {
    add_columns(data, panel, column, begin, end, sums,
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
  if (threadIdx.x == 0) before = count_done_before(sweep.counters, task.finished);
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
                                                        max(task.row_begin, begin), min(task.row_end, begin + share), data},
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
  store_sums(sums);
  __syncthreads();
  const bool alone = task.chunks == 1;
  T* const y = data.y + (std::int64_t{task.first_column} + task.column) * Columns;
  T* const partial = data.u + std::int64_t{task.partial} * Columns;
  for_each_total<T, Columns>(1 << own.log, [&](int at, int right, T total) {
    const int index = at * Columns + right;
    if (at < width) (alone ? y : partial)[index] = alone ? load_l2(y + index) - total : total;
  });
  if (alone) return;
  __syncthreads();
  if (!is_last_chunk(data.sweep, task)) return;
  const std::int64_t step = std::int64_t{block_width(task.panel_width, task.column)} * Columns;
  const T* const first = partial - task.chunk * step;
  for (int index = static_cast<int>(threadIdx.x); index < width * Columns; index += solve_threads) {
    const T before = load_l2(y + index);
    T sum = T(0);
#pragma unroll 8
    for (int c = 0; c < task.chunks; ++c) sum += load_l2(first + c * step + index);
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
  store_sums(sums);
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
__global__ void __launch_bounds__(solve_threads, many_rhs_ctas<T>) backward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) std::int32_t places[SolvedRows::max_ahead];
  run_sweep<WaitFor::counters, BackwardKinds>(
      data.sweep, [&](const auto& task, const NextTask& next) { run_task<T, Columns>(data, task, places, next); });
}

}  // namespace

template <class T, int Columns>
SweepKernel<T> backward_many() {
  return backward_kernel<T, Columns>;
}

#define INSTANTIATE(T)                                   \
  template SweepKernel<T> backward_many<T, solve_few>(); \
  template SweepKernel<T> backward_many<T, solve_many>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
