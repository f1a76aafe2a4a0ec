#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "kernels/cuda/spmv_loads.cuh"
#include "kernels/cuda/spmv_rows.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Lanes share a row. The lanes of a warp stay together, so all take part in exchanges.
template <class S, int Lanes, int Columns, bool Dot>
__global__ void __launch_bounds__(flat_threads) csr_kernel(SparseArrays<S> a, ProductVectors<S> v) {
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  const std::uint64_t policy = matrix_policy(a.streamed);
  const S* x[Columns];
#pragma unroll
  for (int c = 0; c < Columns; ++c) x[c] = v.x + column_of<Columns>(c, v.columns) * v.ld_x;
  double dot = 0.0;
  constexpr int rows_of_warp = 32 / Lanes;
  const std::int64_t rows = (static_cast<std::int64_t>(a.rows) + rows_of_warp - 1) / rows_of_warp * rows_of_warp;
  for (std::int64_t i = flat_index() / Lanes; i < rows; i += flat_step() / Lanes) {
    S sum[Columns] = {};
    const std::int32_t end = i < a.rows ? __ldg(a.offsets + i + 1) : 0;
    for (std::int32_t e = i < a.rows ? __ldg(a.offsets + i) + lane : 0; e < end; e += Lanes) {
      const S value = load_matrix(a.values + e, policy);
      const std::int32_t j = load_matrix(a.index + e, policy);
#pragma unroll
      for (int c = 0; c < Columns; ++c) sum[c] += value * __ldg(x[c] + j);
    }
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
#pragma unroll
      for (int step = Lanes / 2; step > 0; step /= 2) sum[c] += __shfl_xor_sync(0xffffffffu, sum[c], step);
    }
    if (lane == 0 && i < a.rows) store_row<S, Columns, Dot>(v, static_cast<std::int32_t>(i), sum, dot);
  }
  if (Dot) store_dot(dot, v.partials);
}

template <class S, int Lanes>
void launch_csr(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  if (v.partials != nullptr) {
    csr_kernel<S, Lanes, 1, true><<<static_cast<unsigned>(csr_dot_blocks(a)), flat_threads, 0, stream>>>(a, v);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("csr_product");
    return;
  }
  in_column_groups(v, [&](auto columns, const ProductVectors<S>& part) {
    const dim3 grid = product_grid(std::int64_t{Lanes} * a.rows, part, columns.value);
    csr_kernel<S, Lanes, columns.value, false><<<grid, flat_threads, 0, stream>>>(a, part);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("csr_product");
  });
}

/// Calls launch(std::integral_constant<int, lanes>).
template <class Launch>
void with_lanes(int lanes, const Launch& launch) {
  if (lanes <= 2) return launch(std::integral_constant<int, 2>());
  if (lanes <= 4) return launch(std::integral_constant<int, 4>());
  if (lanes <= 8) return launch(std::integral_constant<int, 8>());
  if (lanes <= 16) return launch(std::integral_constant<int, 16>());
  return launch(std::integral_constant<int, 32>());
}

}  // namespace

template <class S>
int csr_dot_blocks(const SparseArrays<S>& a) {
  return dot_blocks_of(static_cast<std::int64_t>(a.width) * a.rows, max_dot_blocks);
}

template <class S>
void csr_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  with_lanes(a.width, [&](auto lanes) { launch_csr<S, lanes.value>(a, v, stream); });
}

template <class S>
void prepare_csr_product() {
  for (int lanes = 2; lanes <= 32; lanes *= 2) {
    with_lanes(lanes, [&](auto l) {
      load_kernels(csr_kernel<S, l.value, 1, true>);
      for_column_groups([](auto columns) { load_kernels(csr_kernel<S, decltype(l)::value, columns.value, false>); });
    });
  }
}

#define INSTANTIATE(S)                                                                       \
  template int csr_dot_blocks(const SparseArrays<S>&);                                       \
  template void csr_product(const SparseArrays<S>&, const ProductVectors<S>&, cudaStream_t); \
  template void prepare_csr_product<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
