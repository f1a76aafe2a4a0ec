#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch_size.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "kernels/cuda/spmv_rows.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class S>
__global__ void __launch_bounds__(flat_threads)
    gather_kernel(const S* values, const std::int32_t* source, std::int64_t count, S* stored) {
  for (std::int64_t k = flat_index(); k < count; k += flat_step()) {
    const std::int32_t from = __ldcs(source + k);
    stored[k] = from < 0 ? S(0) : values[from];
  }
}

/// blockIdx.y is the column.
template <class S>
__global__ void __launch_bounds__(flat_threads) scale_kernel(std::int32_t rows, ProductVectors<S> v) {
  S* const y = v.y + blockIdx.y * v.ld_y;
  for (std::int64_t i = flat_index(); i < rows; i += flat_step()) y[i] = v.beta == S(0) ? S(0) : v.beta * y[i];
}

template <class S>
__global__ void __launch_bounds__(flat_threads) dot_kernel(const S* x, const S* y, std::int32_t rows, double* partials) {
  double dot = 0.0;
  for (std::int64_t i = flat_index(); i < rows; i += flat_step())
    dot += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  store_dot(dot, partials);
}

}  // namespace

int row_dot_blocks(std::int32_t rows) { return dot_blocks_of(rows, max_dot_blocks); }

template <class S>
void dot_rows(const S* x, const S* y, std::int32_t rows, double* partials, cudaStream_t stream) {
  dot_kernel<<<static_cast<unsigned>(row_dot_blocks(rows)), flat_threads, 0, stream>>>(x, y, rows, partials);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("dot_rows");
}

template <class S>
void gather_values(const S* values, const std::int32_t* source, std::int64_t count, S* stored, cudaStream_t stream) {
  if (count == 0) return;
  gather_kernel<<<flat_blocks(count), flat_threads, 0, stream>>>(values, source, count, stored);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("gather_values");
}

template <class S>
void scale_rows(std::int32_t rows, const ProductVectors<S>& v, cudaStream_t stream) {
  if (rows == 0 || v.columns == 0) return;
  scale_kernel<<<dim3(flat_blocks(rows), static_cast<unsigned>(v.columns)), flat_threads, 0, stream>>>(rows, v);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("scale_rows");
}

template <class S>
void prepare_sparse_values() {
  load_kernels(gather_kernel<S>, scale_kernel<S>, dot_kernel<S>);
}

#define INSTANTIATE(S)                                                                        \
  template void gather_values(const S*, const std::int32_t*, std::int64_t, S*, cudaStream_t); \
  template void scale_rows(std::int32_t, const ProductVectors<S>&, cudaStream_t);             \
  template void dot_rows(const S*, const S*, std::int32_t, double*, cudaStream_t);            \
  template void prepare_sparse_values<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
