/// \file
/// Lᵀ x = y. A front waits for its parent, whose rows are then all solved: what it reads is the solution itself.

#include "kernels/cuda/solve_parts.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Where the solution of a front's row lies.
template <class T>
__device__ std::int32_t solved_row(const SolveData<T>& data, const SolveTask& task, int row) {
  return row < task.panel_width ? task.first_column + row : data.rows[task.rows + row - task.panel_width];
}

/// A small front in a warp: lanes over the rows below, then a lane a column.
template <class T, int Columns>
__device__ void whole_by_warp(const Group<T, Columns>& group, const SolveTask& task) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = task.ld;
  const int width = task.panel_width;
  const T* const base = group.data.values + task.offset;
  const bool mine = lane < width;
  const std::int64_t own = task.first_column + lane;
  std::int64_t from = width < task.front ? solved_row(group.data, task, min(width + lane, task.front - 1)) : 0;
  prefetch_block(base, ld, task.front, width, lane, 32);
  await_launch_before();
  T v[Columns] = {};
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) v[q] = group.y[own + q * group.data.order];
  }
  for (int first = width; first < task.front; first += 32) {
    const bool inside = first + lane < task.front;
    const int row = min(first + lane, task.front - 1);
    if (first > width) from = solved_row(group.data, task, row);
    T x[Columns] = {};
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (inside && q < group.columns) x[q] = group.x[from + q * group.data.order];
    }
#pragma unroll 8
    for (int k = 0; k < width; ++k) {
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
  for (int j = 0; j < width; ++j) {
    const T entry = lane < j ? base[lane + j * ld] : T(0);
#pragma unroll
    for (int q = 0; q < Columns; ++q) x[q] += (lane == j ? inverse : entry) * __shfl_sync(all_lanes, v[q], j);
  }
#pragma unroll
  for (int q = 0; q < Columns; ++q) {
    if (mine && q < group.columns) group.x[own + q * group.data.order] = x[q];
  }
}

constexpr int staged_rows = 2 * solve_threads;

template <class T, int Columns>
struct BackwardRoom {
  T v[Columns][solve_block];
  T below[Columns][staged_rows];
  T sums[solve_warps][Columns][32];
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

/// sum[c][q] += P(row_begin … row_end−1, column first + c)ᵀ · x(those rows): lanes over rows, `Outputs` columns a warp.
/// `rows`: of the first chunk.
template <class T, int Columns, int Outputs>
__device__ void add_column_products(const Group<T, Columns>& group, const SolveTask& task, int first, int end, int row_begin,
                                    int row_end, SolvedRows rows, T (&below)[Columns][staged_rows],
                                    T (&sum)[Outputs][Columns]) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = task.ld;
  const T* const base = group.data.values + task.offset;
  for (int begin = row_begin; begin < row_end; begin += staged_rows) {
    const int count = min(staged_rows, row_end - begin);
    if (begin > row_begin) {
      rows.read(group.data, task, begin, row_end);
      __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < SolvedRows::rounds; ++r) {
      const int i = r * solve_threads + static_cast<int>(threadIdx.x);
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        below[q][i] = rows.from[r] >= 0 && q < group.columns ? group.x[rows.from[r] + q * group.data.order] : T(0);
      }
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

/// x(row) = Σ_j inverse(j, row) v(j) over j ≥ row in the block column … column+width−1: lanes over rows, warps over columns.
template <class T, int Columns>
__device__ void finish_rows(const Group<T, Columns>& group, const SolveTask& task, int row_begin, int row_end,
                            BackwardRoom<T, Columns>& room) {
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const std::int64_t ld = task.ld;
  const T* const corner = group.data.values + task.offset + task.column * (ld + 1);
  const int first = row_begin - task.column;
  const int row = first + lane;
  const bool inside = row < row_end - task.column;
  const int share = (task.width - first + solve_warps - 1) / solve_warps;
  const int last = min(task.width, first + (warp + 1) * share);
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
  if (warp < group.columns && inside) group.x[task.first_column + task.column + row + warp * group.data.order] = total;
}

template <class T, int Columns>
__device__ void whole(const Group<T, Columns>& group, const SolveTask& task, BackwardRoom<T, Columns>& room) {
  constexpr int outputs = tile_size / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  SolvedRows rows;
  rows.read(group.data, task, task.width, task.front);
  prefetch_block(group.data.values + task.offset, task.ld, task.front, task.width, static_cast<int>(threadIdx.x),
                 solve_threads);
  await_launch_before();
  T sum[outputs][Columns] = {};
  add_column_products(group, task, first, task.width, task.width, task.front, rows, room.below, sum);
#pragma unroll
  for (int c = 0; c < outputs; ++c) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (lane != 0 || first + c >= task.width) continue;
      const T y = q < group.columns ? group.y[task.first_column + first + c + q * group.data.order] : T(0);
      room.v[q][first + c] = y - sum[c][q];
    }
  }
  __syncthreads();
  for (int row = 0; row < task.width; row += solve_outputs) {
    finish_rows(group, task, row, min(task.width, row + solve_outputs), room);
    __syncthreads();
  }
}

template <class T, int Columns>
__device__ void columns(const Group<T, Columns>& group, const SolveTask& task, BackwardRoom<T, Columns>& room) {
  constexpr int outputs = solve_outputs / solve_warps;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  const int first = static_cast<int>(threadIdx.x / 32u) * outputs;
  SolvedRows rows;
  rows.read(group.data, task, task.row_begin, task.row_end);
  prefetch_block(group.data.values + task.offset + task.row_begin + task.column * static_cast<std::int64_t>(task.ld),
                 task.ld, task.row_end - task.row_begin, task.width, static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  T sum[outputs][Columns] = {};
  add_column_products(group, task, task.column + first, task.column + task.width, task.row_begin, task.row_end, rows,
                      room.below, sum);
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
__device__ void diagonal(const Group<T, Columns>& group, const SolveTask& task, BackwardRoom<T, Columns>& room) {
  const int first = task.row_begin - task.column;
  const std::int64_t ld = task.ld;
  prefetch_block(group.data.values + task.offset + task.row_begin + task.row_begin * ld, ld, task.row_end - task.row_begin,
                 task.width - first, static_cast<int>(threadIdx.x), solve_threads);
  await_launch_before();
  for (int j = first + static_cast<int>(threadIdx.x); j < task.width; j += solve_threads) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q >= group.columns) {
        room.v[q][j] = T(0);
        continue;
      }
      const T* const partial = group.partial + task.partial + j + q * group.data.partials;
      T sum = T(0);
#pragma unroll 12
      for (int c = 0; c < task.chunks; ++c) sum += partial[c * task.width];
      room.v[q][j] = group.y[task.first_column + task.column + j + q * group.data.order] - sum;
    }
  }
  __syncthreads();
  finish_rows(group, task, task.row_begin, task.row_end, room);
}

template <class T, int Columns>
__global__ void __launch_bounds__(solve_threads) backward_kernel(SolveData<T> data, const SolveTask* tasks, int warp_tasks) {
  __shared__ BackwardRoom<T, Columns> room;
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
    case SolveKind::columns:
      return columns(group, task, room);
    default:
      return;
  }
}

}  // namespace

template <class T>
void backward_level(const SolveData<T>& data, const SolveTask* tasks, int warps, int ctas, cudaStream_t stream) {
  launch_level<T>(backward_kernel<T, 1>, backward_kernel<T, solve_columns>, data, tasks, warps, ctas, stream);
}

template void backward_level<float>(const SolveData<float>&, const SolveTask*, int, int, cudaStream_t);
template void backward_level<double>(const SolveData<double>&, const SolveTask*, int, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
