/// \file
/// Diagonal blocks of up to 64 columns: L, and above the diagonal L⁻¹ transposed, so that scaling the rows below and
/// solving are products without a chain of dependent steps.

#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int stride = tile_size + 4;

/// A CTA a block. Latency is what counts: 64 steps of some 120 cycles and the products between the strips.
template <class T>
__global__ void __launch_bounds__(block_threads, block_ctas<T>)
    diagonal_kernel(FactorData<T> data, const DiagonalTask* tasks) {
  __shared__ __align__(shared_alignment) T s[tile_size * stride];
  __shared__ __align__(shared_alignment) T room[block_room];
  __shared__ __align__(shared_alignment) T reciprocal[tile_size];
  const DiagonalTask task = tasks[blockIdx.x];
  const TraceScope traced(data.trace, TracedWork::diagonal, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const std::int64_t ld = panel.ld;
  T* const diagonal = data.values + panel.offset + task.column * (ld + 1);
  const int t = static_cast<int>(threadIdx.x);
  const int i = t % tile_size;
  constexpr int columns_a_round = block_threads / tile_size;
  await_launch_before();
  let_next_launch_begin();
  T entry[tile_size / columns_a_round];
#pragma unroll
  for (int r = 0; r < tile_size / columns_a_round; ++r) {
    const int k = r * columns_a_round + t / tile_size;
    entry[r] = k <= i && i < task.width ? diagonal[i + k * ld] : T(0);
  }
#pragma unroll
  for (int r = 0; r < tile_size / columns_a_round; ++r) s[(r * columns_a_round + t / tile_size) * stride + i] = entry[r];
  __syncthreads();
  factor_block(s, stride, reciprocal, room, task.width);
  for (int k = t / tile_size; k < task.width; k += columns_a_round) {
    if (i < task.width) diagonal[i + k * ld] = s[k * stride + i];
  }
}

}  // namespace

template <class T>
void factor_diagonal(const FactorData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(diagonal_kernel<T>, dim3(static_cast<unsigned>(count)), block_threads, 0, data.early, stream, data, tasks);
}

template <class T>
void prepare_diagonal() {
  load_kernels(diagonal_kernel<T>);
}

template void prepare_diagonal<float>();
template void prepare_diagonal<double>();
template void factor_diagonal<float>(const FactorData<float>&, const DiagonalTask*, int, cudaStream_t);
template void factor_diagonal<double>(const FactorData<double>&, const DiagonalTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
