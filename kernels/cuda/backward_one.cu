/// \file
/// Lᵀ x = y for one right-hand side. A front waits for its parent, whose rows are then all solved: what it reads is the
/// solution itself.

#include "kernels/cuda/solve_one.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

/// A small front in a warp: lanes over the rows below, then a lane a column. `panel`: room for its entries.
template <class T>
__device__ void whole_by_warp(const SolveData<T>& data, const SolveTask& task, T* panel) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int width = task.panel_width;
  const int front = task.front;
  const bool mine = lane < width;
  const std::int64_t own = task.first_column + lane;
  copy_panel(data.values + task.offset, task.ld, front, width, panel, lane, 32);
  std::int64_t from = width < front ? solved_row(data, task, min(width + lane, front - 1)) : 0;
  T v = mine ? __ldcg(data.y + own) : T(0);
  await_inputs_by_warp(data.sweep, task);
  for (int first = width; first < front; first += 32) {
    const bool inside = first + lane < front;
    const int row = min(first + lane, front - 1);
    if (first > width) from = solved_row(data, task, row);
    const T x = inside ? __ldcg(data.x + from) : T(0);
    if (first == width) {
      wait_for_copies<0>();
      __syncwarp();
    }
#pragma unroll 8
    for (int k = 0; k < width; ++k) {
      const T total = warp_sum(panel[row + k * front] * x);
      if (lane == k) v -= total;
    }
  }
  wait_for_copies<0>();
  __syncwarp();
  const T inverse = reciprocal(mine ? panel[lane * (front + 1)] : T(0));
  T x = T(0);
#pragma unroll 8
  for (int j = 0; j < width; ++j) {
    const T entry = lane < j ? panel[lane + j * front] : T(0);
    x += (lane == j ? inverse : entry) * __shfl_sync(all_lanes, v, j);
  }
  if (mine) data.x[own] = x;
  __syncwarp();
}

constexpr int staged_rows = 2 * solve_threads;

template <class T>
struct BackwardRoom {
  T v[solve_block];
  T below[staged_rows];
  T sums[solve_warps][32];
};

/// The solution's places of this thread's rows of a chunk.
struct SolvedRows {
  static constexpr int rounds = staged_rows / solve_threads;
  std::int32_t from[rounds];

  template <class T>
  __device__ void read(const SolveData<T>& data, const SolveTask& task, int begin, int end) {
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const int row = begin + r * solve_threads + static_cast<int>(threadIdx.x);
      from[r] = row < end ? solved_row(data, task, row) : -1;
    }
  }
};

/// sum[c] += P(row_begin … row_end−1, column first + c)ᵀ · x(those rows): lanes over rows, `Outputs` columns a warp.
/// `rows`: of the first chunk; `base`: the panel's entries.
template <class T, int Outputs>
__device__ void add_column_products(const SolveData<T>& data, const SolveTask& task, const T* base, std::int64_t ld,
                                    int first, int end, int row_begin, int row_end, SolvedRows rows, T* below,
                                    T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  for (int begin = row_begin; begin < row_end; begin += staged_rows) {
    const int count = min(staged_rows, row_end - begin);
    if (begin > row_begin) {
      rows.read(data, task, begin, row_end);
      __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < SolvedRows::rounds; ++r) {
      const int i = r * solve_threads + static_cast<int>(threadIdx.x);
      below[i] = rows.from[r] >= 0 ? __ldcg(data.x + rows.from[r]) : T(0);
    }
    wait_for_copies<0>();
    __syncthreads();
#pragma unroll(Outputs == 4 ? 4 : 2)
    for (int i = lane; i < count; i += 32) {
      T entry[Outputs];
#pragma unroll
      for (int c = 0; c < Outputs; ++c) entry[c] = base[begin + i + min(first + c, end - 1) * ld];
#pragma unroll
      for (int c = 0; c < Outputs; ++c) sum[c] += entry[c] * below[i];
    }
  }
#pragma unroll
  for (int c = 0; c < Outputs; ++c) sum[c] = warp_sum(sum[c]);
}

/// x(row) = Σ_j inverse(j, row) v(j) over j ≥ row in the block column … column+width−1: lanes over rows, warps over columns.
/// `corner`: of the block.
template <class T>
__device__ void finish_rows(const SolveData<T>& data, const SolveTask& task, const T* corner, std::int64_t ld, int row_begin,
                            int row_end, BackwardRoom<T>& room) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = row_begin - task.column;
  const int row = first + lane;
  const bool inside = row < row_end - task.column;
  const int share = (task.width - first + solve_warps - 1) / solve_warps;
  const int last = min(task.width, first + (warp + 1) * share);
  T sum = T(0);
  const T inverse = reciprocal(warp == 0 && inside ? corner[row * (ld + 1)] : T(0));
#pragma unroll 16
  for (int j = first + warp * share; j < last; ++j) {
    const T entry = inside && j > row ? corner[row + j * ld] : T(0);
    sum += entry * room.v[j];
  }
  if (warp == 0 && inside) sum += inverse * room.v[row];
  const T total = sum_over_warps(sum, 1, room.sums);
  if (warp == 0 && inside) data.x[task.first_column + task.column + row] = total;
}

template <class T>
struct BackwardShared {
  BackwardRoom<T> room;
  T panels[solve_warps][solve_warp_entries];
};

template <class T>
__device__ int whole(const SolveData<T>& data, const SolveTask& task, BackwardShared<T>& shared) {
  constexpr int outputs = tile_size / solve_warps;
  BackwardRoom<T>& room = shared.room;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  const Panel<T> panel(data, task, shared.panels);
  SolvedRows rows;
  rows.read(data, task, task.width, task.front);
  const T y = lane < outputs && first + lane < task.width ? __ldcg(data.y + task.first_column + first + lane) : T(0);
  const int claimed = await_inputs(data.sweep, task);
  T sum[outputs] = {};
  add_column_products(data, task, panel.base, panel.ld, first, task.width, task.width, task.front, rows, room.below, sum);
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
    if (lane == c && first + c < task.width) room.v[first + c] = y - sum[c];
  }
  wait_for_copies<0>();
  __syncthreads();
  for (int row = 0; row < task.width; row += solve_outputs) {
    finish_rows(data, task, panel.base, panel.ld, row, min(task.width, row + solve_outputs), room);
    __syncthreads();
  }
  return claimed;
}

template <class T>
__device__ int columns(const SolveData<T>& data, const SolveTask& task, BackwardRoom<T>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  SolvedRows rows;
  rows.read(data, task, task.row_begin, task.row_end);
  prefetch_block(data.values + task.offset + task.row_begin + task.column * static_cast<std::int64_t>(task.ld), task.ld,
                 task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x), solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  T sum[outputs] = {};
  add_column_products(data, task, data.values + task.offset, task.ld, task.column + first, task.column + task.width,
                      task.row_begin, task.row_end, rows, room.below, sum);
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
    if (lane == 0 && first + c < task.width) data.u[task.partial + first + c] = sum[c];
  }
  return claimed;
}

template <class T>
__device__ int diagonal(const SolveData<T>& data, const SolveTask& task, BackwardRoom<T>& room) {
  const int first = task.row_begin - task.column;
  const std::int64_t ld = task.ld;
  prefetch_block(data.values + task.offset + task.row_begin + task.row_begin * ld, ld, task.row_end - task.row_begin,
                 task.width - first, static_cast<int>(threadIdx.x), solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  for (int j = first + static_cast<int>(threadIdx.x); j < task.width; j += solve_threads) {
    const T* const partial = data.u + task.partial + j;
    T sum = T(0);
#pragma unroll 12
    for (int c = 0; c < task.chunks; ++c) sum += __ldcg(partial + c * task.width);
    room.v[j] = __ldcg(data.y + task.first_column + task.column + j) - sum;
  }
  __syncthreads();
  finish_rows(data, task, data.values + task.offset + task.column * (ld + 1), ld, task.row_begin, task.row_end, room);
  return claimed;
}

template <class T>
__global__ void __launch_bounds__(solve_threads, 4) backward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) BackwardShared<T> shared;
  run_sweep(
      data.sweep, [&](const SolveTask& task) { whole_by_warp(data, task, shared.panels[threadIdx.x / 32u]); },
      [&](const SolveTask& task) {
        switch (task.kind) {
          case SolveKind::whole:
            return whole(data, task, shared);
          case SolveKind::diagonal:
            return diagonal(data, task, shared.room);
          default:
            return columns(data, task, shared.room);
        }
      });
}

}  // namespace

template <class T>
SweepKernel<T> backward_one() {
  return backward_kernel<T>;
}

template SweepKernel<float> backward_one<float>();
template SweepKernel<double> backward_one<double>();

}  // namespace gpusupernodal::cuda
