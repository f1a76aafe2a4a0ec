/// \file
/// L y = x for one right-hand side. Memory-bound: 8 bytes an entry of L. The inverse of a diagonal block lies transposed
/// above its diagonal, so that every step is a product.

#include "kernels/cuda/solve_one.cuh"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {
namespace {

/// z(j) of `Outputs` columns j = first + {0, 1, …} of the inverse (stored as columns above the diagonal): a warp, lanes over
/// k. `diagonal` is the block's corner; t its vector. Results in all lanes.
template <class T, int Outputs>
__device__ void inverse_rows(const T* diagonal, std::int64_t ld, int first, int end, const T* t, T (&sum)[Outputs]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int longest = min(end, first + Outputs) - 1;
  const int mine = min(first + lane, end - 1);  // The output whose diagonal entry this lane brings.
  const T root = lane < Outputs ? diagonal[mine * (ld + 1)] : T(0);
#pragma unroll(Outputs == 4 ? 4 : 2)
  for (int k = lane; k < longest; k += 32) {
    T entry[Outputs];
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int j = min(first + o, end - 1);
      entry[o] = k < j ? diagonal[k + j * ld] : T(0);
    }
#pragma unroll
    for (int o = 0; o < Outputs; ++o) sum[o] += entry[o] * t[k];
  }
  const T inverse = reciprocal(root);
#pragma unroll
  for (int o = 0; o < Outputs; ++o) {
    if (lane == o) sum[o] += inverse * t[mine];
    sum[o] = warp_sum(sum[o]);
  }
}

/// A small front in a warp: a lane a column, then a lane a row below. `panel`: room for its entries, which are on their way
/// while the warp waits.
template <class T>
__device__ void whole_by_warp(const SolveData<T>& data, const SolveTask& task, T* panel) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int width = task.panel_width;
  const int front = task.front;
  const bool mine = lane < width;
  const std::int64_t own = task.first_column + lane;
  copy_panel(data.values + task.offset, task.ld, front, width, panel, lane, 32);
  Sources own_sources, sources;
  own_sources.read(data, mine ? own : -1);
  if (width + lane < front) sources.read(data, front_row(data, task, width + lane));
  T t = mine ? __ldcg(data.x + own) : T(0);
  await_inputs_by_warp(data.sweep, task);
  t += gather(data, own_sources);
  T sum = gather(data, sources);
  wait_for_copies<0>();
  __syncwarp();
  const T inverse = reciprocal(mine ? panel[lane * (front + 1)] : T(0));
  T z = T(0);
#pragma unroll 8
  for (int k = 0; k < width; ++k) {
    const T entry = mine && k < lane ? panel[k + lane * front] : T(0);
    z += (k == lane ? inverse : entry) * __shfl_sync(all_lanes, t, k);
  }
  if (mine) data.y[own] = z;
  for (int row = width; row < front; row += 32) {
    const bool inside = row + lane < front;
    const int at = inside ? row + lane : front - 1;
    if (row > width) {
      sources = Sources();
      if (inside) sources.read(data, front_row(data, task, at));
      sum = gather(data, sources);
    }
#pragma unroll 8
    for (int k = 0; k < width; ++k) sum -= panel[at + k * front] * __shfl_sync(all_lanes, z, k);
    if (inside) data.u[contribution(task, at)] = sum;
  }
  __syncwarp();
}

/// What load_block gathers, read ahead: thread t's rows t, t + solve_threads of a block.
struct BlockSources {
  static constexpr int rounds = solve_block / solve_threads;
  Sources rows[rounds];

  template <class T>
  __device__ void read(const SolveData<T>& data, const SolveTask& task, int count) {
    if (task.column != 0) return;
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const int k = r * solve_threads + static_cast<int>(threadIdx.x);
      rows[r].read(data, k < count ? task.first_column + k : -1);
    }
  }
};

/// t := the vector of a block of the front: the right-hand side with what children left, unless rows tasks added that.
template <class T>
__device__ void load_block(const SolveData<T>& data, const SolveTask& task, int count, const BlockSources& sources, T* t) {
#pragma unroll
  for (int r = 0; r < BlockSources::rounds; ++r) {
    if (r * solve_threads >= count) break;
    const int k = r * solve_threads + static_cast<int>(threadIdx.x);
    T value = k < count ? __ldcg(data.x + task.first_column + task.column + k) : T(0);
    if (task.column == 0) value += gather(data, sources.rows[r]);
    if (k < count) t[k] = value;
  }
}

/// Contribution of the rows below, a thread a row, from at most tile_size columns. `before`: what children left for this
/// thread's first row; `base`: the panel's entries.
template <class T>
__device__ void subtract_tall(const SolveData<T>& data, const SolveTask& task, const T* base, std::int64_t ld, int row_begin,
                              T before, const T* z) {
  for (int first = row_begin; first < task.row_end; first += solve_threads) {
    const int row = first + static_cast<int>(threadIdx.x);
    const bool inside = row < task.row_end;
    if (first > row_begin) {
      Sources sources;
      if (inside) sources.read(data, front_row(data, task, row));
      before = gather(data, sources);
    }
    if (inside) data.u[contribution(task, row)] = before - row_product(base + row, ld, 0, task.width, z);
  }
}

/// Sources of this thread's first row.
template <class T>
__device__ Sources tall_sources(const SolveData<T>& data, const SolveTask& task, int row_begin) {
  Sources sources;
  const int row = row_begin + static_cast<int>(threadIdx.x);
  if (row < task.row_end) sources.read(data, front_row(data, task, row));
  return sources;
}

template <class T>
struct ForwardRoom {
  T t[solve_block];
  T z[tile_size];
  T sums[solve_warps][32];
};

template <class T>
struct ForwardShared {
  ForwardRoom<T> room;
  T panels[solve_warps][solve_warp_entries];
};

template <class T>
__device__ int whole(const SolveData<T>& data, const SolveTask& task, ForwardShared<T>& shared) {
  constexpr int outputs = tile_size / solve_warps;
  ForwardRoom<T>& room = shared.room;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  const Panel<T> panel(data, task, shared.panels);
  BlockSources own;
  own.read(data, task, task.width);
  const Sources below = tall_sources(data, task, task.width);
  const int claimed = await_inputs(data.sweep, task);
  const T before = gather(data, below);
  load_block(data, task, task.width, own, room.t);
  wait_for_copies<0>();
  __syncthreads();
  T sum[outputs] = {};
  inverse_rows(panel.base, panel.ld, first, task.width, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
    if (lane != 0 || first + o >= task.width) continue;
    room.z[first + o] = sum[o];
    data.y[task.first_column + first + o] = sum[o];
  }
  __syncthreads();
  subtract_tall(data, task, panel.base, panel.ld, task.width, before, room.z);
  return claimed;
}

template <class T>
__device__ int diagonal(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int end = task.row_end - task.column;
  const int begin = task.row_begin - task.column;
  const int first = begin + static_cast<int>(threadIdx.x / 32u) * outputs;
  const T* const corner = data.values + task.offset + task.column * (static_cast<std::int64_t>(task.ld) + 1);
  BlockSources sources;
  sources.read(data, task, end);
  prefetch_block(corner + begin * static_cast<std::int64_t>(task.ld), task.ld, end, end - begin,
                 static_cast<int>(threadIdx.x), solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  load_block(data, task, end, sources, room.t);
  __syncthreads();
  T sum[outputs] = {};
  inverse_rows(corner, task.ld, first, end, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
    if (lane == 0 && first + o < end) data.y[task.first_column + task.column + first + o] = sum[o];
  }
  return claimed;
}

template <class T>
__device__ void load_solved(const SolveData<T>& data, const SolveTask& task, T* z) {
  for (int k = static_cast<int>(threadIdx.x); k < task.width; k += solve_threads) {
    z[k] = __ldcg(data.y + task.first_column + task.column + k);
  }
  __syncthreads();
}

template <class T>
__device__ int tall_rows(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T>& room) {
  const Sources sources = tall_sources(data, task, task.row_begin);
  prefetch_block(data.values + task.offset + task.row_begin, task.ld, task.row_end - task.row_begin, task.width,
                 static_cast<int>(threadIdx.x), solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  const T before = gather(data, sources);
  load_solved(data, task, room.z);
  subtract_tall(data, task, data.values + task.offset, task.ld, task.row_begin, before, room.z);
  return claimed;
}

/// Lanes over rows, one to four times 32 of them; the other warps over columns.
template <class T>
__device__ int rows(const SolveData<T>& data, const SolveTask& task, ForwardRoom<T>& room) {
  const int groups = task.row_end - task.row_begin <= 32 ? 1 : (task.row_end - task.row_begin <= 64 ? 2 : 4);
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int part = warp / groups;
  const int row = task.row_begin + warp % groups * 32 + static_cast<int>(threadIdx.x & 31u);
  const bool inside = row < task.row_end;
  const std::int64_t ld = task.ld;
  const T* const base = data.values + task.offset + task.column * ld;
  Sources sources;
  if (inside && task.column == 0 && part == 0) sources.read(data, front_row(data, task, row));
  prefetch_block(base + task.row_begin, ld, task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x),
                 solve_threads);
  const int claimed = await_inputs(data.sweep, task);
  const bool own = row < task.panel_width;
  T* const target = own ? data.x + task.first_column + row : data.u + contribution(task, row);
  T before = T(0);
  if (part == 0) {
    if (inside && (own || task.column > 0)) before = __ldcg(target);
    if (task.column == 0) before += gather(data, sources);
  }
  load_solved(data, task, room.t);
  const int share = (task.width * groups + solve_warps - 1) / solve_warps;
  const T sum = inside ? row_product(base + row, ld, part * share, min(task.width, (part + 1) * share), room.t) : T(0);
  const T total = sum_over_warps(sum, groups, room.sums);
  if (part == 0 && inside) *target = before - total;
  return claimed;
}

template <class T>
__global__ void __launch_bounds__(solve_threads, 4) forward_kernel(SolveData<T> data) {
  __shared__ __align__(shared_alignment) ForwardShared<T> shared;
  run_sweep(
      data.sweep, [&](const SolveTask& task) { whole_by_warp(data, task, shared.panels[threadIdx.x / 32u]); },
      [&](const SolveTask& task) {
        switch (task.kind) {
          case SolveKind::whole:
            return whole(data, task, shared);
          case SolveKind::diagonal:
            return diagonal(data, task, shared.room);
          case SolveKind::rows:
            return rows(data, task, shared.room);
          default:
            return tall_rows(data, task, shared.room);
        }
      });
}

}  // namespace

template <class T>
SweepKernel<T> forward_one() {
  return forward_kernel<T>;
}

template SweepKernel<float> forward_one<float>();
template SweepKernel<double> forward_one<double>();

}  // namespace gpusupernodal::cuda
