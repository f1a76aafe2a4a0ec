/// \file
/// Triangular solves by pieces of up to 64 columns. The inverse of a diagonal block lies above its diagonal, so that every
/// step is a product. Memory-bound: 8 bytes an entry of L and direction, read once for solve_columns right-hand sides.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/solve_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr int warps = 4;
constexpr int threads = 32 * warps;
constexpr unsigned all_lanes = 0xffffffffu;

template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

/// 1/L(j, j), or 0 where the pivot failed.
template <class T>
__device__ T reciprocal(T root) {
  return root > T(0) && isfinite(root) ? T(1) / root : T(0);
}

__device__ std::int64_t global_row(const PanelInfo& panel, const std::int32_t* rows, int row) {
  return row < panel.width ? panel.first_column + row : rows[panel.rows + row - panel.width];
}

/// A CTA a chunk of rows and Columns right-hand sides. First L11⁻¹ x, a warp a row (the inverse's rows are contiguous),
/// done again by every chunk of the same columns, because that is cheaper than waiting; then a thread a row below.
template <class T, int Columns>
__global__ void __launch_bounds__(threads) forward_kernel(SolveData<T> data, const SolveTask* tasks) {
  __shared__ T b[Columns][tile_size];
  __shared__ T z[Columns][tile_size];
  const SolveTask task = tasks[blockIdx.x];
  const PanelInfo panel = data.panels[task.panel];
  const std::int64_t ld = panel.ld;
  const int first = static_cast<int>(blockIdx.y) * Columns;
  const int columns = min(Columns, data.columns - first);
  T* const x = data.x + first * data.ld;
  T* const y = data.y + first * data.ld;
  const T* const panel_columns = data.values + panel.offset + task.column * ld;
  const T* const diagonal = panel_columns + task.column;
  const std::int64_t own = panel.first_column + task.column;
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t & 31;
  for (int index = t; index < Columns * tile_size; index += threads) {
    const int q = index / tile_size;
    const int k = index % tile_size;
    b[q][k] = q < columns && k < task.width ? x[own + k + q * data.ld] : T(0);
  }
  __syncthreads();
  for (int j = t / 32; j < task.width; j += warps) {
    T sum[Columns] = {};
    for (int k = lane; k <= j; k += 32) {
      const T entry = diagonal[k + j * ld];
      const T inverse = k == j ? reciprocal(entry) : entry;
#pragma unroll
      for (int q = 0; q < Columns; ++q) sum[q] += inverse * b[q][k];
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      const T total = warp_sum(sum[q]);
      if (lane == 0) z[q][j] = total;
    }
  }
  __syncthreads();
  if (task.first != 0) {
    for (int index = t; index < columns * tile_size; index += threads) {
      const int k = index % tile_size;
      if (k < task.width) y[own + k + (index / tile_size) * data.ld] = z[index / tile_size][k];
    }
  }
  for (int row = task.row_begin + t; row < task.row_end; row += threads) {
    T sum[Columns] = {};
#pragma unroll 8
    for (int k = 0; k < task.width; ++k) {
      const T entry = panel_columns[row + k * ld];
#pragma unroll
      for (int q = 0; q < Columns; ++q) sum[q] += entry * z[q][k];
    }
    const std::int64_t target = global_row(panel, data.rows, row);
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      if (q < columns) atomicAdd(x + target + q * data.ld, -sum[q]);
    }
  }
}

constexpr int chunk_rows = 128;

/// Lᵀ y over the task's rows: a warp a column, lanes over rows. Alone, the task keeps the result in b, otherwise it
/// subtracts it from y.
template <class T, int Columns>
__device__ void gather_rows(const SolveData<T>& data, const SolveTask& task, const PanelInfo& panel, T* y, int columns,
                            T (&b)[Columns][tile_size]) {
  __shared__ T below[Columns][chunk_rows];
  const T* const panel_columns = data.values + panel.offset + static_cast<std::int64_t>(task.column) * panel.ld;
  const std::int64_t own = panel.first_column + task.column;
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t & 31;
  for (int begin = task.row_begin; begin < task.row_end; begin += chunk_rows) {
    const int count = min(chunk_rows, task.row_end - begin);
    __syncthreads();
    for (int i = t; i < count; i += threads) {
      const std::int64_t from = global_row(panel, data.rows, begin + i);
#pragma unroll
      for (int q = 0; q < Columns; ++q) below[q][i] = q < columns ? y[from + q * data.ld] : T(0);
    }
    __syncthreads();
    for (int k = t / 32; k < task.width; k += warps) {
      T sum[Columns] = {};
#pragma unroll 4
      for (int i = lane; i < count; i += 32) {
        const T entry = panel_columns[begin + i + k * static_cast<std::int64_t>(panel.ld)];
#pragma unroll
        for (int q = 0; q < Columns; ++q) sum[q] += entry * below[q][i];
      }
#pragma unroll
      for (int q = 0; q < Columns; ++q) {
        const T total = warp_sum(sum[q]);
        if (lane != 0 || q >= columns) continue;
        if (task.chunks > 1) {
          atomicAdd(y + own + k + q * data.ld, -total);
        } else {
          b[q][k] -= total;
        }
      }
    }
  }
}

/// Whether all tasks of these columns have added their part; true in one of them alone, which sees all that they wrote:
/// each fences before it counts, and the last one fences after.
__device__ bool is_last(std::int32_t* counter, std::int32_t chunks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1) == chunks - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

template <class T, int Columns>
__global__ void __launch_bounds__(threads) backward_kernel(SolveData<T> data, const SolveTask* tasks) {
  __shared__ T b[Columns][tile_size];
  const SolveTask task = tasks[blockIdx.x];
  const PanelInfo panel = data.panels[task.panel];
  const std::int64_t ld = panel.ld;
  const int first = static_cast<int>(blockIdx.y) * Columns;
  const int columns = min(Columns, data.columns - first);
  T* const y = data.y + first * data.ld;
  const std::int64_t own = panel.first_column + task.column;
  const T* const diagonal = data.values + panel.offset + task.column + task.column * ld;
  const int t = static_cast<int>(threadIdx.x);
  const bool alone = task.chunks == 1;
  if (alone) {
    for (int index = t; index < columns * tile_size; index += threads) {
      const int k = index % tile_size;
      if (k < task.width) b[index / tile_size][k] = y[own + k + (index / tile_size) * data.ld];
    }
    __syncthreads();
  }
  gather_rows<T, Columns>(data, task, panel, y, columns, b);
  if (!alone) {
    if (!is_last(data.counters + task.counter + static_cast<std::int64_t>(blockIdx.y) * data.counter_count, task.chunks))
      return;
    for (int index = t; index < columns * tile_size; index += threads) {
      const int k = index % tile_size;
      if (k < task.width) b[index / tile_size][k] = __ldcg(y + own + k + (index / tile_size) * data.ld);
    }
  }
  __syncthreads();
  for (int index = t; index < columns * tile_size; index += threads) {
    const int q = index / tile_size;
    const int j = index % tile_size;
    if (j >= task.width) continue;
    T sum = reciprocal(diagonal[j + j * ld]) * b[q][j];
#pragma unroll 4
    for (int k = j + 1; k < task.width; ++k) sum += diagonal[j + k * ld] * b[q][k];
    y[own + j + q * data.ld] = sum;
  }
}

dim3 grid_of(int count, int columns) {
  return {static_cast<unsigned>(count), static_cast<unsigned>((columns + solve_columns - 1) / solve_columns), 1};
}

}  // namespace

template <class T>
void forward_level(const SolveData<T>& data, const SolveTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  if (data.columns == 1) {
    forward_kernel<T, 1><<<count, threads, 0, stream>>>(data, tasks);
  } else {
    forward_kernel<T, solve_columns><<<grid_of(count, data.columns), threads, 0, stream>>>(data, tasks);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("forward_level");
}

template <class T>
void backward_level(const SolveData<T>& data, const SolveTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  if (data.columns == 1) {
    backward_kernel<T, 1><<<count, threads, 0, stream>>>(data, tasks);
  } else {
    backward_kernel<T, solve_columns><<<grid_of(count, data.columns), threads, 0, stream>>>(data, tasks);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("backward_level");
}

template void forward_level<float>(const SolveData<float>&, const SolveTask*, int, cudaStream_t);
template void forward_level<double>(const SolveData<double>&, const SolveTask*, int, cudaStream_t);
template void backward_level<float>(const SolveData<float>&, const SolveTask*, int, cudaStream_t);
template void backward_level<double>(const SolveData<double>&, const SolveTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
