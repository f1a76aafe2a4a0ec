#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/general_residual.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/norms.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Lanes that share a row. Most rows of circuits and grids have 3 to 30 entries.
constexpr int row_lanes = 8;

/// Sum over the lanes of a row; all of them get it.
__device__ double row_sum(double value) {
  for (int step = row_lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

/// blockIdx.y counts the columns of the vectors. The lanes of a warp stay together, so all take part in exchanges.
template <class T>
__global__ void __launch_bounds__(flat_threads)
    general_residual_kernel(EntryRows a, const T* values, T scale, std::int32_t n, ResidualVectors<T> vectors,
                            double* norms) {
  const T* const b = vectors.b + blockIdx.y * vectors.ld_b;
  const T* const x = vectors.x + blockIdx.y * vectors.ld_x;
  T* const r = vectors.r == nullptr ? nullptr : vectors.r + blockIdx.y * vectors.ld_r;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  double largest[norms_per_column] = {};
  const std::int64_t rows = (static_cast<std::int64_t>(n) + 32 / row_lanes - 1) / (32 / row_lanes) * (32 / row_lanes);
  for (std::int64_t i = flat_index() / row_lanes; i < rows; i += flat_step() / row_lanes) {
    double product = 0.0, magnitudes = 0.0;
    const std::int64_t end = i < n ? a.offsets[i + 1] : 0;
    for (std::int64_t e = i < n ? a.offsets[i] + lane : 0; e < end; e += row_lanes) {
      const double entry = static_cast<double>(scale) * static_cast<double>(values[a.source[e]]);
      product += entry * static_cast<double>(x[a.other[e]]);
      magnitudes += fabs(entry);
    }
    product = row_sum(product);
    magnitudes = row_sum(magnitudes);
    if (i >= n) continue;
    const double right = static_cast<double>(b[i]);
    const double residual = right - product;
    const double parts[norms_per_column] = {fabs(residual), magnitudes, fabs(static_cast<double>(x[i])), fabs(right)};
    for (int p = 0; p < norms_per_column; ++p) largest[p] = larger(largest[p], parts[p]);
    if (r != nullptr && lane == 0) r[i] = static_cast<T>(residual);
  }
  for (int p = 0; p < norms_per_column; ++p) raise_by_warp(norms + norms_per_column * blockIdx.y + p, largest[p]);
}

constexpr unsigned most_blocks = 2048;

}  // namespace

template <class T>
void general_residual(const EntryRows& a, const T* values, T scale, std::int32_t n, const ResidualVectors<T>& vectors,
                      double* norms, cudaStream_t stream) {
  const auto columns = static_cast<unsigned>(vectors.columns);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(norms, 0, norms_per_column * sizeof(double) * columns, stream));
  if (n == 0 || columns == 0) return;
  const unsigned blocks = std::min(flat_blocks(std::int64_t{row_lanes} * n), most_blocks);
  general_residual_kernel<T><<<dim3(blocks, columns), flat_threads, 0, stream>>>(a, values, scale, n, vectors, norms);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("general_residual");
}

template <class T>
void prepare_general_residual() {
  load_kernels(general_residual_kernel<T>);
}

#define INSTANTIATE(T)                                                                                               \
  template void general_residual<T>(const EntryRows&, const T*, T, std::int32_t, const ResidualVectors<T>&, double*, \
                                    cudaStream_t);                                                                   \
  template void prepare_general_residual<T>()
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
