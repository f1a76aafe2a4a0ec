/// \file
/// Diagonal blocks of up to 64 columns: L, and above the diagonal L⁻¹ transposed, so that scaling the rows below and
/// solving are products without a chain of dependent steps.

#include "kernels/cuda/block_factor.cuh"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr int warps = 4;
constexpr int threads = 32 * warps;

template <class T, int N>
__device__ void factor_and_scale(T* panel, std::int64_t ld, const DiagonalTask& task, T* s, T* reciprocal) {
  constexpr int stride = warp_width + 1;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  T* diagonal = panel + task.column + task.column * ld;
  for (int k = 0; k < task.width; ++k) {
    if (lane >= k && lane < task.width) s[k * stride + lane] = diagonal[lane + k * ld];
  }
  __syncwarp();
  factor_block<T, N, stride>(s, reciprocal, task.width);
  for (int k = 0; k < task.width; ++k) {
    if (lane < task.width) diagonal[lane + k * ld] = s[k * stride + lane];
  }
  for (int row = task.column + task.width + lane; row < task.row_end; row += 32) {
    T* const entry = panel + row + task.column * ld;
    T v[N];
#pragma unroll
    for (int k = 0; k < N; ++k) v[k] = k < task.width ? entry[k * ld] : T(0);
    substitute<T, N, stride>(v, s, reciprocal, task.width);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (k < task.width) entry[k * ld] = v[k];
    }
  }
}

/// A warp a block of at most 32 columns and the few rows below it. Padding to 8, 16 or 32 columns keeps the block in
/// registers with constant indices. Bytes: 16 an entry; flops: w³/3 + rows·w², which is little: latency is what counts.
template <class T>
__global__ void __launch_bounds__(threads, 4)
    narrow_kernel(T* values, const PanelInfo* panels, const DiagonalTask* tasks, int count) {
  __shared__ T s[warps][warp_width * (warp_width + 1)];
  __shared__ T reciprocal[warps][warp_width];
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int index = static_cast<int>(blockIdx.x) * warps + warp;
  if (index >= count) return;
  const DiagonalTask task = tasks[index];
  const PanelInfo panel = panels[task.panel];
  T* const base = values + panel.offset;
  if (task.width <= 8) {
    factor_and_scale<T, 8>(base, panel.ld, task, s[warp], reciprocal[warp]);
  } else if (task.width <= 16) {
    factor_and_scale<T, 16>(base, panel.ld, task, s[warp], reciprocal[warp]);
  } else {
    factor_and_scale<T, 32>(base, panel.ld, task, s[warp], reciprocal[warp]);
  }
}

constexpr int wide_stride = tile_size + 1;
constexpr int half = 32;
constexpr int columns_a_warp = half / warps;

/// L21 := A21 · L11⁻ᵀ. Thread: row i = lane, columns of its warp; results wait in registers until all have read A21.
template <class T>
__device__ void scale_second_half(T* s, const T* reciprocal, int lane, int first) {
  T sum[columns_a_warp] = {};
  for (int k = 0; k < half; ++k) {
    const T a = s[k * wide_stride + half + lane];
#pragma unroll
    for (int c = 0; c < columns_a_warp; ++c) {
      const int j = first + c;
      if (k < j) sum[c] += a * s[j * wide_stride + k];
      if (k == j) sum[c] += a * reciprocal[j];
    }
  }
  __syncthreads();
  for (int c = 0; c < columns_a_warp; ++c) s[(first + c) * wide_stride + half + lane] = sum[c];
  __syncthreads();
}

/// A22 −= L21 · L21ᵀ, lower part.
template <class T>
__device__ void update_second_half(T* s, int lane, int first) {
  T sum[columns_a_warp] = {};
  for (int k = 0; k < half; ++k) {
    const T a = s[k * wide_stride + half + lane];
#pragma unroll
    for (int c = 0; c < columns_a_warp; ++c) sum[c] += a * s[k * wide_stride + half + first + c];
  }
  for (int c = 0; c < columns_a_warp; ++c) {
    if (lane >= first + c) s[(half + first + c) * wide_stride + half + lane] -= sum[c];
  }
  __syncthreads();
}

/// X21 := −X22 · (L21 · X11), stored transposed above the diagonal; `t` holds the inner product.
template <class T>
__device__ void invert_below(T* s, const T* reciprocal, T* t, int lane, int first, int rows) {
  T sum[columns_a_warp] = {};
  for (int k = 0; k < half; ++k) {
    const T a = s[k * wide_stride + half + lane];
#pragma unroll
    for (int c = 0; c < columns_a_warp; ++c) {
      const int j = first + c;
      if (k > j) sum[c] += a * s[k * wide_stride + j];
      if (k == j) sum[c] += a * reciprocal[j];
    }
  }
  for (int c = 0; c < columns_a_warp; ++c) t[(first + c) * (half + 1) + lane] = sum[c];
  __syncthreads();
  if (lane < rows) {
    for (int c = 0; c < columns_a_warp; ++c) {
      const int j = first + c;
      T x = reciprocal[half + lane] * t[j * (half + 1) + lane];
      for (int k = 0; k < lane; ++k) x += s[(half + lane) * wide_stride + half + k] * t[j * (half + 1) + k];
      s[(half + lane) * wide_stride + j] = -x;
    }
  }
  __syncthreads();
}

/// A CTA a block of 33 to 64 columns, by halves of 32: the chain of dependent steps runs in one warp's registers, the
/// products between the halves in all four. About 24,000 cycles, four fifths of them the two chains.
template <class T>
__global__ void __launch_bounds__(threads) wide_kernel(T* values, const PanelInfo* panels, const DiagonalTask* tasks) {
  __shared__ T s[tile_size * wide_stride];
  __shared__ T t[half * (half + 1)];
  __shared__ T reciprocal[tile_size];
  const DiagonalTask task = tasks[blockIdx.x];
  const PanelInfo panel = panels[task.panel];
  const std::int64_t ld = panel.ld;
  T* const diagonal = values + panel.offset + task.column + task.column * ld;
  const int warp = static_cast<int>(threadIdx.x / 32u);
  const int lane = static_cast<int>(threadIdx.x & 31u);
  for (int k = warp; k < tile_size; k += warps) {
    for (int i = lane; i < tile_size; i += 32) {
      s[k * wide_stride + i] = (k <= i && i < task.width) ? diagonal[i + k * ld] : T(0);
    }
  }
  __syncthreads();
  if (warp == 0) factor_block<T, half, wide_stride>(s, reciprocal, half);
  __syncthreads();
  const int first = warp * columns_a_warp;
  const int rows = task.width - half;
  scale_second_half(s, reciprocal, lane, first);
  update_second_half(s, lane, first);
  if (warp == 0) factor_block<T, half, wide_stride>(s + half * wide_stride + half, reciprocal + half, rows);
  __syncthreads();
  invert_below(s, reciprocal, t, lane, first, rows);
  for (int k = warp; k < task.width; k += warps) {
    for (int i = lane; i < task.width; i += 32) diagonal[i + k * ld] = s[k * wide_stride + i];
  }
}

}  // namespace

template <class T>
void factor_narrow(T* values, const PanelInfo* panels, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  narrow_kernel<T><<<(count + warps - 1) / warps, threads, 0, stream>>>(values, panels, tasks, count);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("factor_narrow");
}

template <class T>
void factor_wide(T* values, const PanelInfo* panels, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  wide_kernel<T><<<count, threads, 0, stream>>>(values, panels, tasks);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("factor_wide");
}

template void factor_narrow<float>(float*, const PanelInfo*, const DiagonalTask*, int, cudaStream_t);
template void factor_narrow<double>(double*, const PanelInfo*, const DiagonalTask*, int, cudaStream_t);
template void factor_wide<float>(float*, const PanelInfo*, const DiagonalTask*, int, cudaStream_t);
template void factor_wide<double>(double*, const PanelInfo*, const DiagonalTask*, int, cudaStream_t);

}  // namespace gpusupernodal::cuda
