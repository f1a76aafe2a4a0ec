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
__device__ void whole_by_warp(const Group<T, Columns>& group, const PanelInfo& panel) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  const T* const base = group.data.values + panel.offset;
  const bool mine = lane < panel.width;
  const std::int64_t own = panel.first_column + lane;
  T t[Columns] = {};
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) t[q] = group.x[own + q * group.data.order];
  }
  gather(group, mine ? own : -1, t);
  const T inverse = reciprocal(mine ? base[lane * (ld + 1)] : T(0));
  T z[Columns] = {};
#pragma unroll 8
  for (int k = 0; k < panel.width; ++k) {
    const T entry = mine && k < lane ? base[k + lane * ld] : T(0);
#pragma unroll
    for (int q = 0; q < Columns; ++q) z[q] += (k == lane ? inverse : entry) * __shfl_sync(all_lanes, t[q], k);
  }
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) group.y[own + q * group.data.order] = z[q];
  }
  for (int row = panel.width; row < panel.front; row += 32) {
    const bool inside = row + lane < panel.front;
    const int at = inside ? row + lane : panel.front - 1;
    T sum[Columns] = {};
    gather(group, inside ? group.front_row(panel, at) : -1, sum);
#pragma unroll 8
    for (int k = 0; k < panel.width; ++k) {
      const T entry = base[at + k * ld];
#pragma unroll
      for (int q = 0; q < Columns; ++q) sum[q] -= entry * __shfl_sync(all_lanes, z[q], k);
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (inside && q < group.columns) group.u[panel.rows + at - panel.width + q * group.data.contributions] = sum[q];
    }
  }
}

/// t := the vector of a block of the front: the right-hand side with what children left, unless rows tasks added that.
template <class T, int Columns, int Length>
__device__ void load_block(const Group<T, Columns>& group, const PanelInfo& panel, int column, int count,
                           T (&t)[Columns][Length]) {
  for (int base = 0; base < count; base += solve_threads) {
    const int k = base + static_cast<int>(threadIdx.x);
    const std::int64_t own = k < count ? panel.first_column + column + k : -1;
    T value[Columns] = {};
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (own >= 0 && q < group.columns) value[q] = group.x[own + q * group.data.order];
    }
    if (column == 0) gather(group, own, value);
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (k < count) t[q][k] = value[q];
    }
  }
}

/// Contribution of the rows below, a thread a row, from at most tile_size columns.
template <class T, int Columns, int Length>
__device__ void subtract_tall(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task, int row_begin,
                              const T (&z)[Columns][Length]) {
  const std::int64_t ld = panel.ld;
  const T* const base = group.data.values + panel.offset + task.column * ld;
  for (int first = row_begin; first < task.row_end; first += solve_threads) {
    const int row = first + static_cast<int>(threadIdx.x);
    const bool inside = row < task.row_end;
    T before[Columns] = {};
    T sum[Columns] = {};
    if (task.column == 0) {
      gather(group, inside ? group.front_row(panel, row) : -1, before);
    } else if (inside) {
      for (int q = 0; q < group.columns; ++q) {
        before[q] = group.u[panel.rows + row - panel.width + q * group.data.contributions];
      }
    }
    if (!inside) continue;
    add_row_product(base + row, ld, 0, task.width, z, sum);
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q < group.columns) {
        group.u[panel.rows + row - panel.width + q * group.data.contributions] = before[q] - sum[q];
      }
    }
  }
}

template <class T, int Columns>
struct ForwardRoom {
  T t[Columns][solve_block];
  T z[Columns][tile_size];
  T sums[solve_warps][Columns][32];
};

template <class T, int Columns>
__device__ void whole(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                      ForwardRoom<T, Columns>& room) {
  constexpr int outputs = tile_size / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  load_block(group, panel, 0, task.width, room.t);
  __syncthreads();
  T sum[outputs][Columns] = {};
  inverse_rows(group.data.values + panel.offset, panel.ld, first, task.width, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
    const int j = first + o;
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane != 0 || j >= task.width) continue;
      room.z[q][j] = sum[o][q];
      if (q < group.columns) group.y[panel.first_column + j + q * group.data.order] = sum[o][q];
    }
  }
  __syncthreads();
  subtract_tall(group, panel, task, task.width, room.z);
}

template <class T, int Columns>
__device__ void diagonal(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                         ForwardRoom<T, Columns>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int end = task.row_end - task.column;
  const int first = task.row_begin - task.column + static_cast<int>(threadIdx.x / 32u) * outputs;
  load_block(group, panel, task.column, end, room.t);
  __syncthreads();
  T sum[outputs][Columns] = {};
  const std::int64_t corner = task.column * (static_cast<std::int64_t>(panel.ld) + 1);
  inverse_rows(group.data.values + panel.offset + corner, panel.ld, first, end, room.t, sum);
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane == 0 && first + o < end && q < group.columns) {
        group.y[panel.first_column + task.column + first + o + q * group.data.order] = sum[o][q];
      }
    }
  }
}

template <class T, int Columns, int Length>
__device__ void load_solved(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                            T (&z)[Columns][Length]) {
  for (int k = static_cast<int>(threadIdx.x); k < task.width; k += solve_threads) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      z[q][k] = q < group.columns ? group.y[panel.first_column + task.column + k + q * group.data.order] : T(0);
    }
  }
  __syncthreads();
}

/// Lanes over rows, warps over columns.
template <class T, int Columns>
__device__ void rows(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                     ForwardRoom<T, Columns>& room) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int row = task.row_begin + lane;
  const bool inside = row < task.row_end;
  load_solved(group, panel, task, room.t);
  T sum[Columns] = {};
  const int share = (task.width + solve_warps - 1) / solve_warps;
  const std::int64_t ld = panel.ld;
  if (inside) {
    add_row_product(group.data.values + panel.offset + task.column * ld + row, ld, warp * share,
                    min(task.width, (warp + 1) * share), room.t, sum);
  }
  const T total = sum_over_warps(sum, room.sums);
  if (warp >= group.columns) return;
  const bool own = row < panel.width;
  T* const target = own ? group.x + panel.first_column + row + warp * group.data.order
                        : group.u + panel.rows + row - panel.width + warp * group.data.contributions;
  T before[1] = {};
  if (inside && (own || task.column > 0)) before[0] = *target;
  if (task.column == 0) {
    Group<T, 1> one(group.data);
    one.columns = 1;
    one.u = group.u + warp * group.data.contributions;
    gather(one, inside ? group.front_row(panel, row) : -1, before);
  }
  if (inside) *target = before[0] - total;
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads) forward_kernel(SolveData<T> data, const SolveTask* tasks, int warp_tasks) {
  __shared__ ForwardRoom<T, Columns> room;
  const Group<T, Columns> group(data);
  const int warp_blocks = (warp_tasks + solve_warps - 1) / solve_warps;
  const int block = static_cast<int>(blockIdx.x);
  if (block < warp_blocks) {
    const int index = block * solve_warps + static_cast<int>(threadIdx.x / 32u);
    if (index < warp_tasks) whole_by_warp(group, data.panels[tasks[index].panel]);
    return;
  }
  const SolveTask task = tasks[warp_tasks + block - warp_blocks];
  const PanelInfo panel = data.panels[task.panel];
  switch (task.kind) {
    case SolveKind::whole:
      return whole(group, panel, task, room);
    case SolveKind::diagonal:
      return diagonal(group, panel, task, room);
    case SolveKind::rows:
      return rows(group, panel, task, room);
    case SolveKind::tall_rows:
      load_solved(group, panel, task, room.z);
      return subtract_tall(group, panel, task, task.row_begin, room.z);
    default:
      return;
  }
}

}  // namespace

template <class T>
void forward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream) {
  if (warps + ctas == 0) return;
  const auto blocks = static_cast<unsigned>((warps + solve_warps - 1) / solve_warps + ctas);
  if (data.columns == 1) {
    forward_kernel<T, 1><<<blocks, solve_threads, 0, stream>>>(data, tasks, warps);
  } else {
    const dim3 grid{blocks, static_cast<unsigned>((data.columns + solve_columns - 1) / solve_columns), 1};
    forward_kernel<T, solve_columns><<<grid, solve_threads, 0, stream>>>(data, tasks, warps);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("forward_level");
}

template void forward_level<float>(const SolveData<float>&, const SolveTask*, int, int, cudaStream_t);
template void forward_level<double>(const SolveData<double>&, const SolveTask*, int, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
