/// \file
/// Rows below a factorized diagonal block: a product with the inverse that lies above its diagonal.

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/tile.cuh"

namespace gpusupernodal::cuda {

namespace {

template <class T>
constexpr int shared_bytes() {
  return 2 * tile_size * tile_stride * static_cast<int>(sizeof(T));
}

/// A CTA 64 rows. Both operands lie in shared memory as a whole (at most 64 columns), so the result can replace B after
/// one barrier. Bytes: 2·64·w and w² read through L2; flops 2·64·w².
template <class T>
__global__ void __launch_bounds__(tile_threads) scale_kernel(T* values, const PanelInfo* panels, const ScaleTask* tasks) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* const b = reinterpret_cast<T*>(shared);
  T* const x = b + tile_size * tile_stride;
  const ScaleTask task = tasks[blockIdx.x];
  const PanelInfo panel = panels[task.panel];
  const std::int64_t ld = panel.ld;
  T* const rows = values + panel.offset + task.row + task.column * ld;
  const T* const diagonal = values + panel.offset + task.column + task.column * ld;
  const int t = static_cast<int>(threadIdx.x);
  const int width = (task.width + tile_step - 1) / tile_step * tile_step;
  const int left = panel.front - task.row;
  for (int k = t / tile_size; k < width; k += tile_threads / tile_size) {
    const int i = t % tile_size;
    b[k * tile_stride + i] = k < task.width && i < left ? rows[i + k * ld] : T(0);
  }
  for (int j = t / tile_size; j < tile_size; j += tile_threads / tile_size) {
    const int k = t % tile_size;
    T value = T(0);
    if (j < task.width && k <= j) {
      value = diagonal[k + j * ld];
      if (k == j) value = value > T(0) && isfinite(value) ? T(1) / value : T(0);
    }
    if (k < width) x[k * tile_stride + j] = value;
  }
  __syncthreads();
  const TilePlace place;
  TileSums<T> acc = {};
  if (place.warp_col < task.width && place.warp_row < left) {
    for (int k = 0; k < width; k += tile_step) multiply_step<T>(b + k * tile_stride, x + k * tile_stride, place, acc);
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = place.row(m, e / 2);
        const int j = place.col(n, e % 2);
        if (i < left && j < task.width) rows[i + j * ld] = acc[m][n][e];
      }
    }
  }
}

}  // namespace

template <class T>
void scale_rows(T* values, const PanelInfo* panels, const ScaleTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  scale_kernel<T><<<count, tile_threads, shared_bytes<T>(), stream>>>(values, panels, tasks);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("scale_rows");
}

template <class T>
void prepare_factor_kernels() {
  prepare_products<T>();
  GPUSUPERNODAL_CUDA_CHECK(
      cudaFuncSetAttribute(scale_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes<T>()));
}

template void prepare_factor_kernels<float>();
template void prepare_factor_kernels<double>();
template void scale_rows<float>(float*, const PanelInfo*, const ScaleTask*, int, cudaStream_t);
template void scale_rows<double>(double*, const PanelInfo*, const ScaleTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
