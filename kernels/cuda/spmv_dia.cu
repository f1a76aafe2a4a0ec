#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "kernels/cuda/spmv_loads.cuh"
#include "kernels/cuda/spmv_rows.cuh"

namespace gpusupernodal::cuda {
namespace {

/// A thread takes a row. Of a symmetric matrix the part below the diagonal is read as the column above it.
template <class S, int Columns, bool Symmetric, bool Dot>
__global__ void __launch_bounds__(flat_threads) dia_kernel(SparseArrays<S> a, ProductVectors<S> v) {
  const std::uint64_t policy = matrix_policy(a.streamed);
  const std::int64_t stride = diagonal_stride(a.rows);
  const S* x[Columns];
#pragma unroll
  for (int c = 0; c < Columns; ++c) x[c] = v.x + column_of<Columns>(c, v.columns) * v.ld_x;
  double dot = 0.0;
  for (std::int64_t i = flat_index(); i < a.rows; i += flat_step()) {
    S sum[Columns] = {};
#pragma unroll 4
    for (std::int32_t d = 0; d < a.width; ++d) {
      const std::int64_t distance = __ldg(a.index + d);
      const std::int64_t right = i + distance;
      const std::int64_t left = i - distance;
      const S* const diagonal = a.values + d * stride;
      if (right >= 0 && right < a.columns) {
        const S value = Symmetric ? load_reused(diagonal + i, policy) : load_matrix(diagonal + i, policy);
#pragma unroll
        for (int c = 0; c < Columns; ++c) sum[c] += value * __ldg(x[c] + right);
      }
      if (Symmetric && distance > 0 && left >= 0) {
        const S value = load_reused(diagonal + left, policy);
#pragma unroll
        for (int c = 0; c < Columns; ++c) sum[c] += value * __ldg(x[c] + left);
      }
    }
    store_row<S, Columns, Dot>(v, static_cast<std::int32_t>(i), sum, dot);
  }
  if (Dot) store_dot(dot, v.partials);
}

template <class S, bool Symmetric>
void launch_dia(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  if (v.partials != nullptr) {
    dia_kernel<S, 1, Symmetric, true><<<static_cast<unsigned>(dia_dot_blocks(a)), flat_threads, 0, stream>>>(a, v);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("dia_product");
    return;
  }
  in_column_groups(v, [&](auto columns, const ProductVectors<S>& part) {
    const dim3 grid = product_grid(a.rows, part, columns.value);
    dia_kernel<S, columns.value, Symmetric, false><<<grid, flat_threads, 0, stream>>>(a, part);
    GPUSUPERNODAL_CUDA_CHECK_LAUNCH("dia_product");
  });
}

template <class S, bool Symmetric>
void load_dia() {
  load_kernels(dia_kernel<S, 1, Symmetric, true>);
  for_column_groups([](auto columns) { load_kernels(dia_kernel<S, columns.value, Symmetric, false>); });
}

}  // namespace

template <class S>
int dia_dot_blocks(const SparseArrays<S>& a) {
  return dot_blocks_of(a.rows, max_dot_blocks);
}

template <class S>
void dia_product(const SparseArrays<S>& a, const ProductVectors<S>& v, cudaStream_t stream) {
  const auto launch = a.symmetric ? launch_dia<S, true> : launch_dia<S, false>;
  launch(a, v, stream);
}

template <class S>
void prepare_dia_product() {
  load_dia<S, false>();
  load_dia<S, true>();
}

#define INSTANTIATE(S)                                                                       \
  template int dia_dot_blocks(const SparseArrays<S>&);                                       \
  template void dia_product(const SparseArrays<S>&, const ProductVectors<S>&, cudaStream_t); \
  template void prepare_dia_product<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
