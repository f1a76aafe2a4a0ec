/// \file
/// The update: lower tiles of L21·L21ᵀ; one kernel computes them and subtracts each entry at its relative indices.

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/product_tile.cuh"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

constexpr int warps = 4;

/// One CTA per tile.
template <class T, bool InOrder>
__global__ void __launch_bounds__(32 * warps, InOrder ? 3 : 4) product_kernel(FactorData<T> data, const ProductTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  __shared__ __align__(shared_alignment) ColumnTarget targets[tile_size];
  const ProductTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
  // If all CTAs fit on the device, the preceding launch is still running; otherwise loads of operands come first.
  subtract_tile<T, warps, InOrder>(data, task, {reinterpret_cast<T*>(shared), targets}, gridDim.x <= ctas_at_once, [] {
    await_launch_before();
    let_next_launch_begin();
  });
}

}  // namespace

template <class T>
void apply_updates(const FactorData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = data.tasks_added == nullptr ? product_kernel<T, false> : product_kernel<T, true>;
  launch_early(kernel, dim3(static_cast<unsigned>(count)), 32 * warps, product_memory<T>().dynamic_bytes, data.early, stream,
               data, tasks);
}

template <class T>
void prepare_products() {
  load_kernels(product_kernel<T, false>, product_kernel<T, true>);
  for (const auto kernel : {product_kernel<T, false>, product_kernel<T, true>}) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, product_memory<T>().dynamic_bytes));
  }
}

#define INSTANTIATE(T)                                                                         \
  template void apply_updates<T>(const FactorData<T>&, const ProductTask*, int, cudaStream_t); \
  template void prepare_products<T>()
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
