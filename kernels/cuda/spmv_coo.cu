#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "kernels/cuda/spmv_loads.cuh"
#include "kernels/cuda/spmv_rows.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Adds to each lane the sums of the lanes before it that have its row. Rows ascend over the lanes.
template <class S>
__device__ S segmented_sum(S value, std::int32_t row, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const S before = __shfl_up_sync(0xffffffffu, value, step);
    const std::int32_t row_before = __shfl_up_sync(0xffffffffu, row, step);
    if (lane >= step && row_before == row) value += before;
  }
  return value;
}

/// A warp takes a chunk of entries. It adds rows that lie in the chunk to y; of rows that reach into other chunks it stores
/// the part before it (carries[2c]) and the part behind it (carries[2c+1]). A row has one writer, so nothing is atomic.
template <class S>
__global__ void __launch_bounds__(flat_threads) coo_kernel(SparseArrays<S> a, S alpha, const S* x, S* y, S* carries) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t chunk = flat_index() / 32;
  const std::int64_t begin = chunk * coo_chunk;
  if (begin >= a.stored_values) return;
  const std::int64_t end = min(begin + coo_chunk, a.stored_values);
  const std::uint64_t policy = matrix_policy(a.streamed);
  const std::int32_t row_before = begin > 0 ? __ldg(a.order + begin - 1) : -1;
  const std::int32_t row_after = end < a.stored_values ? __ldg(a.order + end) : -1;
  std::int32_t open_row = -1;  // The row of the entry before this step's, whose sum so far is `open`.
  S open = S(0);
  const auto store = [&](std::int32_t row, S sum) {
    if (row == row_before) {
      carries[2 * chunk] = sum;
    } else if (row == row_after) {
      carries[2 * chunk + 1] = sum;
    } else {
      y[row] += alpha * sum;
    }
  };
  for (std::int64_t first = begin; first < end; first += 32) {
    const std::int64_t e = first + lane;
    const bool valid = e < end;
    const std::int32_t row = valid ? load_matrix(a.order + e, policy) : -2;
    S sum = valid ? load_matrix(a.values + e, policy) * __ldg(x + load_matrix(a.index + e, policy)) : S(0);
    sum = segmented_sum(sum, row, lane);
    const std::int32_t first_row = __shfl_sync(0xffffffffu, row, 0);
    if (lane == 0 && open_row >= 0 && open_row != first_row) store(open_row, open);
    if (row == open_row) sum += open;
    const std::int32_t next_row = __shfl_down_sync(0xffffffffu, row, 1);
    if (valid && lane < 31 && next_row != row) {
      if (e + 1 < end) store(row, sum);
    }
    const int last = static_cast<int>(min(static_cast<std::int64_t>(31), end - 1 - first));
    open_row = __shfl_sync(0xffffffffu, row, last);
    open = __shfl_sync(0xffffffffu, sum, last);
  }
  if (lane == 0) store(open_row, open);
}

/// A warp takes a row that spans chunks.
template <class S>
__global__ void __launch_bounds__(flat_threads) coo_spans_kernel(SparseArrays<S> a, S alpha, S* y, const S* carries) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t at = flat_index() / 32;
  if (at >= a.units) return;
  const std::int32_t row = __ldg(a.offsets + 3 * at), first = __ldg(a.offsets + 3 * at + 1),
                     last = __ldg(a.offsets + 3 * at + 2);
  S sum = lane == 0 ? carries[2 * static_cast<std::int64_t>(first) + 1] : S(0);
  for (std::int64_t c = first + 1 + lane; c <= last; c += 32) sum += carries[2 * c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) y[row] += alpha * sum;
}

unsigned blocks_of_warps(std::int64_t warps) {
  return static_cast<unsigned>((warps * 32 + flat_threads - 1) / flat_threads);
}

}  // namespace

template <class S>
void add_coo_product(const SparseArrays<S>& a, S alpha, const S* x, S* y, S* carries, cudaStream_t stream) {
  if (a.stored_values == 0) return;
  coo_kernel<<<blocks_of_warps(coo_chunks(a.stored_values)), flat_threads, 0, stream>>>(a, alpha, x, y, carries);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("add_coo_product");
  if (a.units == 0) return;
  coo_spans_kernel<<<blocks_of_warps(a.units), flat_threads, 0, stream>>>(a, alpha, y, carries);
  GPUSUPERNODAL_CUDA_CHECK_LAUNCH("add_coo_product");
}

template <class S>
void prepare_coo_product() {
  load_kernels(coo_kernel<S>, coo_spans_kernel<S>);
}

#define INSTANTIATE(S)                                                                      \
  template void add_coo_product(const SparseArrays<S>&, S, const S*, S*, S*, cudaStream_t); \
  template void prepare_coo_product<S>();
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
