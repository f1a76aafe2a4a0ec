/// \file
/// Diagonal blocks of up to 64 columns of Cholesky or LDLᵀ: L, and the transpose of L⁻¹ above the diagonal, so that trsm
/// tasks and solves are products without a chain of dependent steps. Launched alone, or together with independent products.

#include <type_traits>

#include "kernels/cuda/diagonal_block.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/product_tile.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

__device__ void begin_now() {
  await_launch_before();
  let_next_launch_begin();
}

/// Whether a block needs more shared memory than a kernel may declare.
template <class T>
constexpr bool is_dynamic = sizeof(DiagonalMemory<T>) > static_memory_limit;

/// One CTA per block. `Data`: FactorData<T> or LdltData<T>.
template <class T, class Data>
__global__ void __launch_bounds__(block_threads, block_ctas<T>) diagonal_kernel(Data data, const DiagonalTask* tasks) {
  __shared__ std::conditional_t<is_dynamic<T>, char, DiagonalMemory<T>> declared;
  const DiagonalTask task = tasks[blockIdx.x];
  const TraceScope traced(data.trace, TracedWork::diagonal, task.panel, blockIdx.x);
  if constexpr (is_dynamic<T>) {
    extern __shared__ __align__(shared_alignment) unsigned char shared[];
    factor_diagonal_block(data, task, *reinterpret_cast<DiagonalMemory<T>*>(shared), [] { begin_now(); });
  } else {
    factor_diagonal_block(data, task, declared, [] { begin_now(); });
  }
}

/// One CTA per block (the first `count`) or per product tile; a tile is computed by eight warps.
template <class T, class Data>
__global__ void __launch_bounds__(block_threads, 2)
    diagonal_and_product_kernel(Data data, const DiagonalTask* blocks, int count, const ProductTask* tiles) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  __shared__ __align__(shared_alignment) ColumnTarget targets[tile_size];
  const int index = static_cast<int>(blockIdx.x);
  if (index < count) {
    const DiagonalTask task = blocks[index];
    const TraceScope traced(data.trace, TracedWork::diagonal, task.panel, blockIdx.x);
    factor_diagonal_block(data, task, *reinterpret_cast<DiagonalMemory<T>*>(shared), [] { begin_now(); });
  } else {
    const ProductTask task = tiles[index - count];
    const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
    subtract_tile<T, block_warps, false, is_adjoint<Data>>(data, data.values, task, {reinterpret_cast<T*>(shared), targets},
                                                           gridDim.x <= ctas_at_once, [] { begin_now(); });
  }
}

template <class T>
constexpr int dynamic_bytes = is_dynamic<T> ? static_cast<int>(sizeof(DiagonalMemory<T>)) : 0;

template <class T, class Data>
void launch_diagonal(const Data& data, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(diagonal_kernel<T, Data>, dim3(static_cast<unsigned>(count)), block_threads, dynamic_bytes<T>, data.early,
               stream, data, tasks);
}

template <class T, class Data>
void launch_diagonal_and_product(const Data& data, const DiagonalTask* blocks, int count, const ProductTask* tiles,
                                 int tile_count, cudaStream_t stream) {
  static_assert(blocks_join_products<T>);
  if (count + tile_count == 0) return;
  launch_early(diagonal_and_product_kernel<T, Data>, dim3(static_cast<unsigned>(count + tile_count)), block_threads,
               diagonal_and_product_memory<T>().dynamic_bytes, data.early, stream, data, blocks, count, tiles);
}

template <class T, class Data>
void prepare_kernels() {
  load_kernels(diagonal_kernel<T, Data>);
  if constexpr (is_dynamic<T>) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaFuncSetAttribute(diagonal_kernel<T, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_bytes<T>));
  }
  if constexpr (blocks_join_products<T>) {
    load_kernels(diagonal_and_product_kernel<T, Data>);
    GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(diagonal_and_product_kernel<T, Data>,
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  diagonal_and_product_memory<T>().dynamic_bytes));
  }
}

}  // namespace

template <class T>
void factor_diagonal(const FactorData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  launch_diagonal<T>(data, tasks, count, stream);
}

template <class T>
void factor_ldlt_diagonal(const LdltData<T>& data, const DiagonalTask* tasks, int count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_diagonal<T>(taken, tasks, count, stream); });
}

template <class T>
void factor_diagonal_and_apply_updates(const FactorData<T>& data, const DiagonalTask* blocks, int count,
                                       const ProductTask* tiles, int tile_count, cudaStream_t stream) {
  launch_diagonal_and_product<T>(data, blocks, count, tiles, tile_count, stream);
}

template <class T>
void factor_ldlt_diagonal_and_apply_updates(const LdltData<T>& data, const DiagonalTask* blocks, int count,
                                            const ProductTask* tiles, int tile_count, cudaStream_t stream) {
  as_kernels_take(
      data, [&](const auto& taken) { launch_diagonal_and_product<T>(taken, blocks, count, tiles, tile_count, stream); });
}

template <class T>
void prepare_diagonal() {
  prepare_kernels<T, FactorData<T>>();
}

template <class T>
void prepare_ldlt_diagonal(bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare_kernels<T, SymmetricData<T>>();
  }
  prepare_kernels<T, LdltData<T>>();
}

#define INSTANTIATE(T)                 \
  template void prepare_diagonal<T>(); \
  template void factor_diagonal<T>(const FactorData<T>&, const DiagonalTask*, int, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                          \
  template void prepare_ldlt_diagonal<T>(bool); \
  template void factor_ldlt_diagonal<T>(const LdltData<T>&, const DiagonalTask*, int, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

#define INSTANTIATE(T)                                                                                                   \
  template void factor_diagonal_and_apply_updates<T>(const FactorData<T>&, const DiagonalTask*, int, const ProductTask*, \
                                                     int, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                                                      \
  template void factor_ldlt_diagonal_and_apply_updates<T>(const LdltData<T>&, const DiagonalTask*, int, const ProductTask*, \
                                                          int, cudaStream_t)
GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
