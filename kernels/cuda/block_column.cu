/// \file
/// Diagonal blocks and the rows below them in one launch. Every CTA repeats the factorization of its block, so no CTA
/// waits for another and the factor is not read back from global memory. For launches whose CTAs all run at once.

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/signed_pivots.cuh"
#include "kernels/cuda/trace.cuh"
#include "kernels/cuda/trsm_below.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int stride = block_stride;

/// Starts to copy a tile of 64 rows and `width` columns, or its lower triangle; entries outside become zero.
template <bool Lower, class T>
__device__ void copy_tile(T* to, const T* from, std::int64_t ld, int rows, int width) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
#pragma unroll 4
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < tile_size; k += block_threads / tile_size) {
    const bool valid = i < rows && k < width && (!Lower || k <= i);
    copy_async<static_cast<int>(sizeof(T))>(to + k * stride + i, valid ? from + i + k * ld : from, valid);
  }
}

/// One CTA per 64 rows below a block, or per block without rows below it. The CTA that was the last to read the
/// original block writes its factor; data.readers counts the readers and is reset to 0. Latency matters most: 64 steps
/// of about 120 cycles, the products between strips, and one product with the inverse.
template <class T, class Data>
__global__ void __launch_bounds__(block_threads, block_ctas<T>)
    column_kernel(Data data, const DiagonalTask* blocks, const TrsmTask* tasks, int count) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  BlockColumnMemory<T>& own = *reinterpret_cast<BlockColumnMemory<T>*>(shared);
  const int index = static_cast<int>(blockIdx.x);
  const bool has_rows = index < count;
  TrsmTask task;
  if (has_rows) {
    task = tasks[index];
  } else {
    const DiagonalTask block = blocks[index - count];
    task = {block.panel, block.column, block.width, block.column + block.width};
  }
  const TraceScope traced(data.trace, TracedWork::column, task.panel, blockIdx.x);
  const PanelInfo panel = data.panels[task.panel];
  const int below = panel.front - task.column - task.width;
  const int readers = max(1, (below + tile_size - 1) / tile_size);
  await_launch_before();
  let_next_launch_begin();
  if (!has_rows && below > 0) return;  // The CTAs of the rows below factorize this block.
  const PanelBlock block = block_of(panel, task.column);
  const std::int64_t ld = block.ld;
  T* const diagonal = data.values + block.index(task.column, task.column);
  T* const rows = data.values + block.index(task.row, task.column);
  copy_tile<true>(own.s, diagonal, ld, task.width, task.width);
  if (has_rows) copy_tile<false>(own.below, rows, ld, panel.front - task.row, task.width);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  if (threadIdx.x == block_threads - 1) {  // This thread's warp has no work in the first strip.
    __threadfence();
    own.is_last = readers == 1 || atomicAdd(data.readers + task.panel, 1) == readers - 1;
  }
  factor_block(own.s, stride, own.reciprocal, own.shared_memory, task.width,
               pivots_of(data, panel.first_column + task.column));
  if (has_rows) {
    constexpr bool is_ldlt = is_signed<Data>;
    const bool correct =
        inverse_grows<is_ldlt, is_adjoint<Data>>(own.s, stride, own.reciprocal, own.shared_memory, task.width);
    const auto signs = column_signs<is_ldlt>(static_cast<const T*>(own.reciprocal), 1);
    trsm_tile<false, is_adjoint<Data>>(own.s, stride, own.reciprocal, task.width, correct, own.below, stride,
                                       min(tile_size, panel.front - task.row),
                                       [&](int i, int j, T value) { rows[i + j * ld] = signs(value, j); });
  }
  if (own.is_last == 0) return;
  if (threadIdx.x == 0 && readers > 1) data.readers[task.panel] = 0;
  __threadfence();
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  for (int k = static_cast<int>(threadIdx.x) / tile_size; k < task.width; k += block_threads / tile_size) {
    if (i < task.width) diagonal[i + k * ld] = own.s[k * stride + i];
  }
}

template <class T, class Data>
void launch(const Data& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows, int row_count,
            cudaStream_t stream) {
  if (block_count == 0) return;
  launch_early(column_kernel<T, Data>, dim3(static_cast<unsigned>(block_count + row_count)), block_threads,
               column_memory<T>().dynamic_bytes, data.early, stream, data, blocks, rows, row_count);
}

template <class T, class Data>
bool prepare() {
  if (!column_memory<T>().fits(shared_memory_limit())) return false;
  load_kernels(column_kernel<T, Data>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(column_kernel<T, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                column_memory<T>().dynamic_bytes));
  return true;
}

}  // namespace

template <class T>
void factor_block_columns(const FactorData<T>& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows,
                          int row_count, cudaStream_t stream) {
  launch<T>(data, blocks, block_count, rows, row_count, stream);
}

template <class T>
void factor_ldlt_block_columns(const LdltData<T>& data, const DiagonalTask* blocks, int block_count, const TrsmTask* rows,
                               int row_count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch<T>(taken, blocks, block_count, rows, row_count, stream); });
}

template <class T>
bool prepare_block_columns() {
  return prepare<T, FactorData<T>>();
}

template <class T>
bool prepare_ldlt_block_columns(bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare<T, SymmetricData<T>>();
  }
  return prepare<T, LdltData<T>>();
}

#define INSTANTIATE(T)                                                                                        \
  template void factor_block_columns<T>(const FactorData<T>&, const DiagonalTask*, int, const TrsmTask*, int, \
                                        cudaStream_t);                                                        \
  template bool prepare_block_columns<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                                           \
  template void factor_ldlt_block_columns<T>(const LdltData<T>&, const DiagonalTask*, int, const TrsmTask*, int, \
                                             cudaStream_t);                                                      \
  template bool prepare_ldlt_block_columns<T>(bool)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
