/// \file
/// L y = x. Memory-bound: 8 bytes an entry of L, read once for solve_columns right-hand sides. The inverse of a diagonal
/// block lies transposed above its diagonal, so that every step is a product.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_parts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// z(j) of `Outputs` columns j = first + {0, 1, …} of the inverse (stored as columns above the diagonal): a warp, lanes over
/// k. `diagonal` is the block's corner; t its vector. Results in all lanes.
template <class T, int Columns, int Length, int Outputs>
__device__ void inverse_rows(const T* diagonal, std::int64_t ld, int first, int end, const T (&t)[Columns][Length],
                             T (&sum)[Outputs][Columns]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int longest = min(end, first + Outputs) - 1;
  const int mine = min(first + lane, end - 1);  // The output whose diagonal entry this lane brings.
  const T root = lane < Outputs ? diagonal[mine * (ld + 1)] : T(0);
#pragma unroll(Columns == 1 ? 4 : 2)
  for (int k = lane; k < longest; k += 32) {
    T entry[Outputs];
#pragma unroll
    for (int o = 0; o < Outputs; ++o) {
      const int j = min(first + o, end - 1);
      entry[o] = k < j ? diagonal[k + j * ld] : T(0);
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
#pragma unroll
      for (int o = 0; o < Outputs; ++o) sum[o][q] += entry[o] * t[q][k];
    }
  }
  const T inverse = reciprocal(root);
#pragma unroll
  for (int o = 0; o < Outputs; ++o) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane == o) sum[o][q] += inverse * t[q][mine];
      sum[o][q] = warp_sum(sum[o][q]);
    }
  }
}

/// A small front in a warp: a lane a column, then a lane a row below.
template <class T, int Columns>
__device__ void whole_by_warp(const Group<T, Columns>& group, const SolveTask& task) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = task.ld;
  const int width = task.panel_width;
  const T* const base = group.data.values + task.offset;
  const bool mine = lane < width;
  const std::int64_t own = task.first_column + lane;
  Sources own_sources, sources;
  own_sources.read(group.data, mine ? own : -1);
  if (width + lane < task.front) sources.read(group.data, group.front_row(task, width + lane));
  prefetch_block(base, ld, task.front, width, lane, 32);
  await_launch_before();
  T t[Columns] = {};
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) t[q] = group.x[own + q * group.data.order];
  }
  gather(group, own_sources, t);
  const T inverse = reciprocal(mine ? base[lane * (ld + 1)] : T(0));
  T z[Columns] = {};
#pragma unroll 8
  for (int k = 0; k < width; ++k) {
    const T entry = mine && k < lane ? base[k + lane * ld] : T(0);
#pragma unroll
    for (int q = 0; q < Columns; ++q) z[q] += (k == lane ? inverse : entry) * __shfl_sync(all_lanes, t[q], k);
  }
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) group.y[own + q * group.data.order] = z[q];
  }
  for (int row = width; row < task.front; row += 32) {
    const bool inside = row + lane < task.front;
    const int at = inside ? row + lane : task.front - 1;
    T sum[Columns] = {};
    if (row > width) {
      sources = Sources();
      if (inside) sources.read(group.data, group.front_row(task, at));
    }
    gather(group, sources, sum);
#pragma unroll 8
    for (int k = 0; k < width; ++k) {
      const T entry = base[at + k * ld];
#pragma unroll
      for (int q = 0; q < Columns; ++q) sum[q] -= entry * __shfl_sync(all_lanes, z[q], k);
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (inside && q < group.columns) group.contribution(task, at)[q * group.data.contributions] = sum[q];
    }
  }
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
template <class T, int Columns, int Length>
__device__ void load_block(const Group<T, Columns>& group, const SolveTask& task, int count, const BlockSources& sources,
                           T (&t)[Columns][Length]) {
#pragma unroll
  for (int r = 0; r < BlockSources::rounds; ++r) {
    if (r * solve_threads >= count) break;
    const int k = r * solve_threads + static_cast<int>(threadIdx.x);
    T value[Columns] = {};
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (k < count && q < group.columns) value[q] = group.x[task.first_column + task.column + k + q * group.data.order];
    }
    if (task.column == 0) gather(group, sources.rows[r], value);
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (k < count) t[q][k] = value[q];
    }
  }
}

/// Contribution of the rows below, a thread a row, from at most tile_size columns. `sources`: of this thread's first row.
template <class T, int Columns, int Length>
__device__ void subtract_tall(const Group<T, Columns>& group, const SolveTask& task, int row_begin, Sources sources,
                              const T (&z)[Columns][Length]) {
  const std::int64_t ld = task.ld;
  const T* const base = group.data.values + task.offset + task.column * ld;
  for (int first = row_begin; first < task.row_end; first += solve_threads) {
    const int row = first + static_cast<int>(threadIdx.x);
    const bool inside = row < task.row_end;
    T before[Columns] = {};
    T sum[Columns] = {};
    if (task.column == 0) {
      if (first > row_begin) {
        sources = Sources();
        if (inside) sources.read(group.data, group.front_row(task, row));
      }
      gather(group, sources, before);
    } else if (inside) {
      for (int q = 0; q < group.columns; ++q) before[q] = group.contribution(task, row)[q * group.data.contributions];
    }
    if (!inside) continue;
    add_row_product(base + row, ld, 0, task.width, z, sum);
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q < group.columns) group.contribution(task, row)[q * group.data.contributions] = before[q] - sum[q];
    }
  }
}

/// Sources of this thread's first row.
template <class T, int Columns>
__device__ Sources tall_sources(const Group<T, Columns>& group, const SolveTask& task, int row_begin) {
  Sources sources;
  const int row = row_begin + static_cast<int>(threadIdx.x);
  if (task.column == 0 && row < task.row_end) sources.read(group.data, group.front_row(task, row));
  return sources;
}

template <class T, int Columns>
struct ForwardRoom {
  T t[Columns][solve_block];
  T z[Columns][tile_size];
  T sums[solve_warps][Columns][32];
};

template <class T, int Columns>
__device__ void whole(const Group<T, Columns>& group, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  constexpr int outputs = tile_size / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  const T* const base = group.data.values + task.offset;
  BlockSources own;
  own.read(group.data, task, task.width);
  const Sources below = tall_sources(group, task, task.width);
  prefetch_block(base, task.ld, task.front, task.width, static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  load_block(group, task, task.width, own, room.t);
  __syncthreads();
  T sum[outputs][Columns] = {};
  inverse_rows(base, task.ld, first, task.width, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
    const int j = first + o;
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane != 0 || j >= task.width) continue;
      room.z[q][j] = sum[o][q];
      if (q < group.columns) group.y[task.first_column + j + q * group.data.order] = sum[o][q];
    }
  }
  __syncthreads();
  subtract_tall(group, task, task.width, below, room.z);
}

template <class T, int Columns>
__device__ void diagonal(const Group<T, Columns>& group, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int end = task.row_end - task.column;
  const int begin = task.row_begin - task.column;
  const int first = begin + static_cast<int>(threadIdx.x / 32u) * outputs;
  const T* const corner = group.data.values + task.offset + task.column * (static_cast<std::int64_t>(task.ld) + 1);
  BlockSources sources;
  sources.read(group.data, task, end);
  prefetch_block(corner + begin * static_cast<std::int64_t>(task.ld), task.ld, end, end - begin,
                 static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  load_block(group, task, end, sources, room.t);
  __syncthreads();
  T sum[outputs][Columns] = {};
  inverse_rows(corner, task.ld, first, end, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane == 0 && first + o < end && q < group.columns) {
        group.y[task.first_column + task.column + first + o + q * group.data.order] = sum[o][q];
      }
    }
  }
}

template <class T, int Columns, int Length>
__device__ void load_solved(const Group<T, Columns>& group, const SolveTask& task, T (&z)[Columns][Length]) {
  for (int k = static_cast<int>(threadIdx.x); k < task.width; k += solve_threads) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      z[q][k] = q < group.columns ? group.y[task.first_column + task.column + k + q * group.data.order] : T(0);
    }
  }
  __syncthreads();
}

template <class T, int Columns>
__device__ void tall_rows(const Group<T, Columns>& group, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  const Sources sources = tall_sources(group, task, task.row_begin);
  prefetch_block(group.data.values + task.offset + task.row_begin + task.column * static_cast<std::int64_t>(task.ld),
                 task.ld, task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  load_solved(group, task, room.z);
  subtract_tall(group, task, task.row_begin, sources, room.z);
}

/// Lanes over rows, warps over columns; in the end warp q has right-hand side q.
template <class T, int Columns>
__device__ void rows(const Group<T, Columns>& group, const SolveTask& task, ForwardRoom<T, Columns>& room) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int row = task.row_begin + lane;
  const bool inside = row < task.row_end;
  const std::int64_t ld = task.ld;
  const T* const base = group.data.values + task.offset + task.column * ld;
  Sources sources;
  if (inside && task.column == 0 && warp < group.columns) sources.read(group.data, group.front_row(task, row));
  prefetch_block(base + task.row_begin, ld, solve_outputs, task.width, static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  load_solved(group, task, room.t);
  T sum[Columns] = {};
  const int share = (task.width + solve_warps - 1) / solve_warps;
  if (inside) add_row_product(base + row, ld, warp * share, min(task.width, (warp + 1) * share), room.t, sum);
  const T total = sum_over_warps(sum, room.sums);
  if (warp >= group.columns) return;
  const bool own = row < task.panel_width;
  T* const target = own ? group.x + task.first_column + row + warp * group.data.order
                        : group.contribution(task, row) + warp * group.data.contributions;
  T before[1] = {};
  if (inside && (own || task.column > 0)) before[0] = *target;
  if (task.column == 0) {
    Group<T, 1> one(group.data);
    one.columns = 1;
    one.u = group.u + warp * group.data.contributions;
    gather(one, sources, before);
  }
  if (inside) *target = before[0] - total;
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads) forward_kernel(SolveData<T> data, const SolveTask* tasks, int warp_tasks) {
  __shared__ ForwardRoom<T, Columns> room;
  let_next_launch_begin();
  const Group<T, Columns> group(data);
  const int warp_blocks = (warp_tasks + solve_warps - 1) / solve_warps;
  const int block = static_cast<int>(blockIdx.x);
  if (block < warp_blocks) {
    const int index = block * solve_warps + static_cast<int>(threadIdx.x / 32u);
    if (index < warp_tasks) whole_by_warp(group, tasks[index]);
    return;
  }
  const SolveTask task = tasks[warp_tasks + block - warp_blocks];
  switch (task.kind) {
    case SolveKind::whole:
      return whole(group, task, room);
    case SolveKind::diagonal:
      return diagonal(group, task, room);
    case SolveKind::rows:
      return rows(group, task, room);
    case SolveKind::tall_rows:
      return tall_rows(group, task, room);
    default:
      return;
  }
}

}  // namespace

bool solves_can_begin_early() {
  constexpr int first_version = 90;
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, forward_kernel<double, 1>));
  return attributes.ptxVersion >= first_version;
}

template <class T>
void forward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream) {
  launch_level<T>(forward_kernel<T, 1>, forward_kernel<T, solve_columns>, data, tasks, warps, ctas, stream);
}

template void forward_level<float>(const SolveData<float>&, const SolveTask*, int, int, cudaStream_t);
template void forward_level<double>(const SolveData<double>&, const SolveTask*, int, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
