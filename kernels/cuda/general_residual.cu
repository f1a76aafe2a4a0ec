#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/general_residual.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/norms.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/stored_entries.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Lanes that share a row. Most rows of circuits and grids have 3 to 30 entries.
constexpr int row_lanes = 8;

/// Sum over the lanes of a row; all of them get it.
template <class W>
__device__ W row_sum(W value) {
  for (int step = row_lanes / 2; step > 0; step /= 2) value += shuffle_xor(value, step);
  return value;
}

/// Columns of the vectors that are multiplied by an entry once it is loaded.
constexpr int columns_at_once = 4;

/// blockIdx.y counts groups of `Columns` columns. The lanes of a warp stay together, so all take part in exchanges.
/// `Conjugated`: with the conjugate of A.
template <class T, int Columns, bool Conjugated>
__global__ void __launch_bounds__(flat_threads)
    general_residual_kernel(EntryRows a, const T* values, Real<T> scale, std::int32_t n, ResidualVectors<T> vectors,
                            double* norms) {
  using W = typename ScalarTraits<T>::Wide;
  const int first = Columns * static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  std::int64_t at[Columns];  // Place of the column in x; columns past the last are replaced by it, and not stored.
#pragma unroll
  for (int c = 0; c < Columns; ++c) at[c] = min(first + c, vectors.columns - 1) * vectors.ld_x;
  double largest[Columns][norms_per_column] = {};
  const std::int64_t rows = (static_cast<std::int64_t>(n) + 32 / row_lanes - 1) / (32 / row_lanes) * (32 / row_lanes);
  for (std::int64_t i = flat_index() / row_lanes; i < rows; i += flat_step() / row_lanes) {
    W product[Columns] = {};
    double magnitudes = 0.0;
    const std::int64_t end = i < n ? a.offsets[i + 1] : 0;
    for (std::int64_t e = i < n ? a.offsets[i] + lane : 0; e < end; e += row_lanes) {
      W entry = static_cast<double>(scale) * conjugate_if<Conjugated>(static_cast<W>(entry_of(values, a.source[e])));
      if constexpr (ScalarTraits<T>::is_complex) {
        if (a.has_real_diagonal && a.other[e] == i) entry.im = 0.0;
      }
      const T* const x = vectors.x + a.other[e];
      magnitudes += wide_magnitude(entry);
#pragma unroll
      for (int c = 0; c < Columns; ++c) add_product(product[c], entry, static_cast<W>(x[at[c]]));
    }
    magnitudes = row_sum(magnitudes);
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      product[c] = row_sum(product[c]);
      // One lane reads b and writes r, because they may be the same.
      if (lane != 0 || i >= n || first + c >= vectors.columns) continue;
      const W right = static_cast<W>(vectors.b[i + (first + c) * vectors.ld_b]);
      const W residual = right - product[c];
      const double parts[norms_per_column] = {wide_magnitude(residual), magnitudes, wide_magnitude(vectors.x[i + at[c]]),
                                              wide_magnitude(right)};
#pragma unroll
      for (int p = 0; p < norms_per_column; ++p) largest[c][p] = larger(largest[c][p], parts[p]);
      if (vectors.r != nullptr) vectors.r[i + (first + c) * vectors.ld_r] = static_cast<T>(residual);
    }
  }
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
#pragma unroll
    for (int p = 0; p < norms_per_column; ++p) {
      if (first + c < vectors.columns) raise_by_warp(norms + norms_per_column * (first + c) + p, largest[c][p]);
    }
  }
}

constexpr unsigned most_blocks = 2048;

/// Real scalars have one kernel, conjugated or not.
template <class T, int Columns>
auto kernel_for(bool conjugated) {
  auto kernel = general_residual_kernel<T, Columns, false>;
  if constexpr (ScalarTraits<T>::is_complex) {
    if (conjugated) kernel = general_residual_kernel<T, Columns, true>;
  }
  return kernel;
}

}  // namespace

template <class T>
void general_residual(const EntryRows& a, const T* values, bool conjugated, Real<T> scale, std::int32_t n,
                      const ResidualVectors<T>& vectors, double* norms, cudaStream_t stream) {
  const auto columns = static_cast<unsigned>(vectors.columns);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(norms, 0, norms_per_column * sizeof(double) * columns, stream));
  if (n == 0 || columns == 0) return;
  const unsigned blocks = std::min(flat_blocks(std::int64_t{row_lanes} * n), most_blocks);
  const bool one = columns == 1;
  const auto kernel = one ? kernel_for<T, 1>(conjugated) : kernel_for<T, columns_at_once>(conjugated);
  const dim3 grid(blocks, one ? 1 : (columns + columns_at_once - 1) / columns_at_once);
  kernel<<<grid, flat_threads, 0, stream>>>(a, values, scale, n, vectors, norms);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("general_residual");
}

template <class T>
void prepare_general_residual() {
  for (const bool conjugated : {false, true})
    load_kernels(kernel_for<T, 1>(conjugated), kernel_for<T, columns_at_once>(conjugated));
}

#define INSTANTIATE(T)                                                                                                  \
  template void general_residual<T>(const EntryRows&, const T*, bool, Real<T>, std::int32_t, const ResidualVectors<T>&, \
                                    double*, cudaStream_t);                                                             \
  template void prepare_general_residual<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
