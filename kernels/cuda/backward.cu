/// \file
/// Lᵀ x = y. A front waits for its parent, whose rows are then all solved: what it reads is the solution itself.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_parts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Where the solution of a front's row lies.
template <class T, int Columns>
__device__ std::int64_t solved_row(const Group<T, Columns>& group, const PanelInfo& panel, int row) {
  return row < panel.width ? panel.first_column + row : group.data.rows[panel.rows + row - panel.width];
}

template <class T, int Columns>
__device__ void whole_by_warp(const Group<T, Columns>& group, const PanelInfo& panel) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  const T* const base = group.data.values + panel.offset;
  const bool mine = lane < panel.width;
  const std::int64_t own = panel.first_column + lane;
  T v[Columns] = {};
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) v[q] = group.y[own + q * group.data.order];
  }
  for (int first = panel.width; first < panel.front; first += 32) {
    const bool inside = first + lane < panel.front;
    const int row = inside ? first + lane : panel.front - 1;
    const std::int64_t from = solved_row(group, panel, row);
    T x[Columns] = {};
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (inside && q < group.columns) x[q] = group.x[from + q * group.data.order];
    }
#pragma unroll 8
    for (int k = 0; k < panel.width; ++k) {
      const T entry = base[row + k * ld];
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        const T total = warp_sum(entry * x[q]);
        if (lane == k) v[q] -= total;
      }
    }
  }
  const T inverse = reciprocal(mine ? base[lane * (ld + 1)] : T(0));
  T x[Columns] = {};
#pragma unroll 8
  for (int j = 0; j < panel.width; ++j) {
    const T entry = lane < j ? base[lane + j * ld] : T(0);
#pragma unroll
    for (int q = 0; q < Columns; ++q) x[q] += (lane == j ? inverse : entry) * __shfl_sync(all_lanes, v[q], j);
  }
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) group.x[own + q * group.data.order] = x[q];
  }
}

constexpr int staged_rows = 512;

template <class T, int Columns>
struct BackwardRoom {
  T v[Columns][solve_block];
  T below[Columns][staged_rows];
  T sums[solve_warps][Columns][32];
};

/// sum[c][q] += P(row_begin … row_end−1, column first + c)ᵀ · x(those rows): lanes over rows, `Outputs` columns a warp.
template <class T, int Columns, int Outputs>
__device__ void add_column_products(const Group<T, Columns>& group, const PanelInfo& panel, int first, int end,
                                    int row_begin, int row_end, T (&below)[Columns][staged_rows],
                                    T (&sum)[Outputs][Columns]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  const T* const base = group.data.values + panel.offset;
  for (int begin = row_begin; begin < row_end; begin += staged_rows) {
    const int count = min(staged_rows, row_end - begin);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += solve_threads) {
      const std::int64_t from = solved_row(group, panel, begin + i);
#pragma unroll
      for (int q = 0; q < Columns; ++q) below[q][i] = q < group.columns ? group.x[from + q * group.data.order] : T(0);
    }
    __syncthreads();
#pragma unroll(Columns == 1 ? 4 : 2)
    for (int i = lane; i < count; i += 32) {
      T entry[Outputs];
#pragma unroll
      for (int c = 0; c < Outputs; ++c) entry[c] = base[begin + i + min(first + c, end - 1) * ld];
#pragma unroll
      for (int c = 0; c < Outputs; ++c) {
#pragma unroll
        for (int q = 0; q < Columns; ++q) sum[c][q] += entry[c] * below[q][i];
      }
    }
  }
#pragma unroll
  for (int c = 0; c < Outputs; ++c) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) sum[c][q] = warp_sum(sum[c][q]);
  }
}

/// x(row) = Σ_j inverse(j, row) v(j) over j ≥ row in the block: lanes over rows, warps over columns.
template <class T, int Columns>
__device__ void finish_rows(const Group<T, Columns>& group, const PanelInfo& panel, int column, int width, int row_begin,
                            int row_end, BackwardRoom<T, Columns>& room) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = panel.ld;
  const T* const corner = group.data.values + panel.offset + column * (ld + 1);
  const int row = row_begin - column + lane;
  const bool inside = row < row_end - column;
  const int first = row_begin - column;
  const int share = (width - first + solve_warps - 1) / solve_warps;
  const int last = min(width, first + (warp + 1) * share);
  T sum[Columns] = {};
  const T inverse = reciprocal(warp == 0 && inside ? corner[row * (ld + 1)] : T(0));
#pragma unroll(Columns == 1 ? 32 : 8)
  for (int j = first + warp * share; j < last; ++j) {
    const T entry = inside && j > row ? corner[row + j * ld] : T(0);
#pragma unroll
    for (int q = 0; q < Columns; ++q) sum[q] += entry * room.v[q][j];
  }
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (warp == 0 && inside) sum[q] += inverse * room.v[q][row];
  }
  const T total = sum_over_warps(sum, room.sums);
  if (warp < group.columns && inside) group.x[panel.first_column + column + row + warp * group.data.order] = total;
}

template <class T, int Columns>
__device__ void whole(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                      BackwardRoom<T, Columns>& room) {
  constexpr int outputs = tile_size / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  T sum[outputs][Columns] = {};
  add_column_products(group, panel, first, task.width, task.width, panel.front, room.below, sum);
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane != 0 || first + c >= task.width) continue;
      const T y = q < group.columns ? group.y[panel.first_column + first + c + q * group.data.order] : T(0);
      room.v[q][first + c] = y - sum[c][q];
    }
  }
  __syncthreads();
  for (int row = 0; row < task.width; row += solve_outputs) {
    finish_rows(group, panel, 0, task.width, row, min(task.width, row + solve_outputs), room);
    __syncthreads();
  }
}

template <class T, int Columns>
__device__ void columns(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                        BackwardRoom<T, Columns>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  T sum[outputs][Columns] = {};
  add_column_products(group, panel, task.column + first, task.column + task.width, task.row_begin, task.row_end, room.below,
                      sum);
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane == 0 && first + c < task.width && q < group.columns) {
        group.partial[task.partial + first + c + q * group.data.partials] = sum[c][q];
      }
    }
  }
}

template <class T, int Columns>
__device__ void diagonal(const Group<T, Columns>& group, const PanelInfo& panel, const SolveTask& task,
                         BackwardRoom<T, Columns>& room) {
  const int first = task.row_begin - task.column;
  for (int j = first + static_cast<int>(threadIdx.x); j < task.width; j += solve_threads) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q >= group.columns) {
        room.v[q][j] = T(0);
        continue;
      }
      const T* const partial = group.partial + task.partial + j + q * group.data.partials;
      T sum = T(0);
#pragma unroll 4
      for (int c = 0; c < task.chunks; ++c) sum += partial[c * task.width];
      room.v[q][j] = group.y[panel.first_column + task.column + j + q * group.data.order] - sum;
    }
  }
  __syncthreads();
  finish_rows(group, panel, task.column, task.width, task.row_begin, task.row_end, room);
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads) backward_kernel(SolveData<T> data, const SolveTask* tasks, int warp_tasks) {
  __shared__ BackwardRoom<T, Columns> room;
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
    case SolveKind::columns:
      return columns(group, panel, task, room);
    default:
      return;
  }
}

}  // namespace

template <class T>
void backward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream) {
  if (warps + ctas == 0) return;
  const auto blocks = static_cast<unsigned>((warps + solve_warps - 1) / solve_warps + ctas);
  if (data.columns == 1) {
    backward_kernel<T, 1><<<blocks, solve_threads, 0, stream>>>(data, tasks, warps);
  } else {
    const dim3 grid{blocks, static_cast<unsigned>((data.columns + solve_columns - 1) / solve_columns), 1};
    backward_kernel<T, solve_columns><<<grid, solve_threads, 0, stream>>>(data, tasks, warps);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("backward_level");
}

template void backward_level<float>(const SolveData<float>&, const SolveTask*, int, int, cudaStream_t);
template void backward_level<double>(const SolveData<double>&, const SolveTask*, int, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
