/// \file
/// Rows below a factorized diagonal block: a product with the inverse that lies above its diagonal.

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scale_rows.cuh"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int stride = tile_size + 4;

/// A CTA 64 rows, a warp eight of them, or in single precision two groups of four of the block's columns. The rows are read
/// before the factorization of the block has ended, by whole pieces of columns of 64 bytes or more, and not from the
/// first-level cache, which may be older than the launches before that one; the block lies in shared memory. Bytes: 2·64·w
/// and 2·w² read through L2; flops 64·w², three times that where the block's inverse grows.
template <class T>
__global__ void __launch_bounds__(block_threads) scale_kernel(FactorData<T> data, const ScaleTask* tasks) {
  __shared__ __align__(shared_alignment) T s[tile_size * stride];
  __shared__ __align__(shared_alignment) T reciprocal[tile_size];
  __shared__ __align__(shared_alignment) T room[block_threads];
  __shared__ __align__(shared_alignment) T below[scales_by_fma<T> ? tile_size * stride : 1];
  const TraceScope traced(data.trace, TracedWork::scale, tasks[blockIdx.x].panel, blockIdx.x);
  const ScaleTask task = tasks[blockIdx.x];
  const PanelInfo panel = data.panels[task.panel];
  const std::int64_t ld = panel.ld;
  const T* const diagonal = data.values + panel.offset + task.column * (ld + 1);
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  constexpr int columns_a_round = block_threads / tile_size;
  // The lane's of eight rows a warp, or rows as they lie in memory.
  const int row = scales_by_fma<T> ? i : t / 32 * 8 + (t & 31) / 4;
  T* const first = data.values + panel.offset + task.row + task.column * ld;
  const int rows = min(tile_size, panel.front - task.row);
  constexpr int steps = tile_size / 4;
  T before[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    const int at = scales_by_fma<T> ? k * columns_a_round + t / tile_size : 4 * k + (t & 3);
    before[k] = row < rows && at < task.width ? __ldcg(first + row + at * ld) : T(0);
  }
  await_launch_before();
  let_next_launch_begin();
  T entry[tile_size / columns_a_round];
#pragma unroll
  for (int r = 0; r < tile_size / columns_a_round; ++r) {
    const int k = r * columns_a_round + t / tile_size;
    entry[r] = i < task.width && k < task.width ? diagonal[i + k * ld] : T(0);
  }
  T largest_row = T(0), largest_column = T(0);
#pragma unroll
  for (int r = 0; r < tile_size / columns_a_round; ++r) {
    const int k = r * columns_a_round + t / tile_size;
    s[k * stride + i] = entry[r];
    if (k <= i) largest_row = max(largest_row, fabs(entry[r]));
    if (k > i) largest_column = max(largest_column, fabs(entry[r]));
    if (i == k) {
      reciprocal[k] = entry[r] > T(0) && isfinite(entry[r]) ? T(1) / entry[r] : T(0);
      largest_column = max(largest_column, reciprocal[k]);
    }
  }
  if constexpr (scales_by_fma<T>) {
#pragma unroll
    for (int k = 0; k < steps; ++k) below[(k * columns_a_round + t / tile_size) * stride + i] = before[k];
  }
  const bool correct = inverse_grows(largest_row, largest_column, room);
  if constexpr (scales_by_fma<T>) {
    scale_tile<false>(s, stride, reciprocal, task.width, correct, below, stride, rows,
                      [&](int r, int j, T value) { first[r + j * ld] = value; });
  } else {
    scale_eight_rows(
        s, stride, reciprocal, task.width, correct, [&](int step) { return before[step]; },
        [&](int j, T value) {
          if (row < rows) first[row + j * ld] = value;
        });
  }
}

}  // namespace

template <class T>
void scale_rows(const FactorData<T>& data, const ScaleTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(scale_kernel<T>, dim3(static_cast<unsigned>(count)), block_threads, 0, data.early, stream, data, tasks);
}

template <class T>
void prepare_scale() {
  load_kernels(scale_kernel<T>);
}

template void prepare_scale<float>();
template void prepare_scale<double>();
template void scale_rows<float>(const FactorData<float>&, const ScaleTask*, int, cudaStream_t);
template void scale_rows<double>(const FactorData<double>&, const ScaleTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
