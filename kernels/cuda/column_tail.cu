/// \file
/// The dense tail of LU by columns: right-looking, without exchanges, in strips of tail_block columns.

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_pivots.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Rows or columns of a tile of the update, and the threads that share it.
constexpr int tile = 64;
constexpr int tile_threads = 256;

/// The tail as a dense matrix, row-major.
template <class T>
struct Tail {
  T* values;
  std::int32_t order;

  __device__ T& at(std::int32_t i, std::int32_t j) const { return values[static_cast<std::int64_t>(order) * i + j]; }
};

template <class T>
Tail<T> tail_of(const ColumnFactor<T>& f) {
  return {f.values + f.tail_values, f.tail_end - f.tail_begin};
}

/// One CTA factorizes the strip's diagonal block in shared memory: thread (i, j) has one entry.
template <class T>
__global__ void __launch_bounds__(tail_block* tail_block)
    diagonal_kernel(Tail<T> tail, std::int32_t first, const DeviceStatus* status, double perturbation) {
  __shared__ T block[tail_block][tail_block + 1];
  const T smallest = smallest_pivot<T>(status, perturbation);
  const int i = static_cast<int>(threadIdx.x / tail_block), j = static_cast<int>(threadIdx.x % tail_block);
  const int width = min(tail_block, tail.order - first);
  const bool exists = i < width && j < width;
  if (exists) block[i][j] = tail.at(first + i, first + j);
  __syncthreads();
  for (int k = 0; k + 1 < width; ++k) {
    const T factor = exists && i > k ? block[i][k] / accepted_pivot(block[k][k], smallest) : T(0);
    __syncthreads();
    if (exists && i > k) {
      if (j == k) block[i][k] = factor;
      if (j > k) block[i][j] -= factor * block[k][j];
    }
    __syncthreads();
  }
  if (exists) tail.at(first + i, first + j) = block[i][j];
}

/// Each thread solves for one row of L below the block, or for one column of U right of it.
template <class T>
__global__ void __launch_bounds__(tile_threads) strip_kernel(Tail<T> tail, std::int32_t first, std::int32_t row_blocks,
                                                             const DeviceStatus* status, double perturbation) {
  __shared__ T block[tail_block][tail_block + 1];
  const T smallest = smallest_pivot<T>(status, perturbation);
  for (int e = static_cast<int>(threadIdx.x); e < tail_block * tail_block; e += tile_threads)
    block[e / tail_block][e % tail_block] = tail.at(first + e / tail_block, first + e % tail_block);
  __syncthreads();
  const auto part = static_cast<std::int32_t>(blockIdx.x);
  const bool of_l = part < row_blocks;
  const std::int32_t other =
      first + tail_block + (of_l ? part : part - row_blocks) * tile_threads + static_cast<std::int32_t>(threadIdx.x);
  if (other >= tail.order) return;
  T entry[tail_block];
#pragma unroll
  for (int k = 0; k < tail_block; ++k) entry[k] = of_l ? tail.at(other, first + k) : tail.at(first + k, other);
#pragma unroll
  for (int k = 0; k < tail_block; ++k) {
    if (of_l) entry[k] /= accepted_pivot(block[k][k], smallest);
#pragma unroll
    for (int j = k + 1; j < tail_block; ++j) entry[j] -= entry[k] * (of_l ? block[k][j] : block[j][k]);
  }
#pragma unroll
  for (int k = 0; k < tail_block; ++k) (of_l ? tail.at(other, first + k) : tail.at(first + k, other)) = entry[k];
}

/// A CTA subtracts a product from a tile right of and below the strip; a thread has 4 × 4 entries.
template <class T>
__global__ void __launch_bounds__(tile_threads) update_kernel(Tail<T> tail, std::int32_t first) {
  constexpr int side = 4;
  constexpr int threads_a_side = tile / side;
  __shared__ T left[tail_block][tile + 1];
  __shared__ T right[tail_block][tile];
  const std::int32_t row = first + tail_block + static_cast<std::int32_t>(blockIdx.y) * tile;
  const std::int32_t column = first + tail_block + static_cast<std::int32_t>(blockIdx.x) * tile;
  for (int e = static_cast<int>(threadIdx.x); e < tail_block * tile; e += tile_threads) {
    const std::int32_t i = row + e / tail_block, j = column + e % tile;
    left[e % tail_block][e / tail_block] = i < tail.order ? tail.at(i, first + e % tail_block) : T(0);
    right[e / tile][e % tile] = j < tail.order ? tail.at(first + e / tile, j) : T(0);
  }
  __syncthreads();
  const int r = static_cast<int>(threadIdx.x) / threads_a_side, c = static_cast<int>(threadIdx.x) % threads_a_side;
  T sum[side][side] = {};
#pragma unroll 8
  for (int k = 0; k < tail_block; ++k) {
#pragma unroll
    for (int i = 0; i < side; ++i) {
#pragma unroll
      for (int j = 0; j < side; ++j) sum[i][j] += left[k][r + threads_a_side * i] * right[k][c + threads_a_side * j];
    }
  }
#pragma unroll
  for (int i = 0; i < side; ++i) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
      const std::int32_t at_row = row + r + threads_a_side * i, at_column = column + c + threads_a_side * j;
      if (at_row < tail.order && at_column < tail.order) tail.at(at_row, at_column) -= sum[i][j];
    }
  }
}

}  // namespace

template <class T>
void factorize_tail(const ColumnFactor<T>& factor, cudaStream_t stream) {
  const Tail<T> tail = tail_of(factor);
  for (std::int32_t first = 0; first < tail.order; first += tail_block) {
    diagonal_kernel<T><<<1, tail_block * tail_block, 0, stream>>>(tail, first, factor.status, factor.perturbation);
    const std::int32_t rest = tail.order - first - tail_block;
    if (rest <= 0) continue;
    const std::int32_t parts = (rest + tile_threads - 1) / tile_threads;
    strip_kernel<T><<<static_cast<unsigned>(2 * parts), tile_threads, 0, stream>>>(tail, first, parts, factor.status,
                                                                                   factor.perturbation);
    const auto tiles = static_cast<unsigned>((rest + tile - 1) / tile);
    update_kernel<T><<<dim3(tiles, tiles), tile_threads, 0, stream>>>(tail, first);
  }
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("factorize_tail");
}

template <class T>
void prepare_tail() {
  load_kernels(diagonal_kernel<T>, strip_kernel<T>, update_kernel<T>);
}

#define INSTANTIATE(T)                                                   \
  template void factorize_tail<T>(const ColumnFactor<T>&, cudaStream_t); \
  template void prepare_tail<T>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
