/// \file
/// Whole small fronts of LU: factorize both panels in shared memory, write them back, and subtract the updates from the
/// ancestors, as front.cu does.

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/level_run_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_small_front.cuh"
#include "kernels/cuda/lu_tiny_front.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class T, int Columns>
__global__ void __launch_bounds__(32 * lu_tiny_warps<T, Columns>)
    tiny_lu_kernel(LuData<T> lu, const FrontTask* tasks, int count) {
  __shared__ __align__(shared_alignment) TinyLuMemory<T, Columns> memories[lu_tiny_warps<T, Columns>];
  const int warp = warp_number();
  const int index = static_cast<int>(blockIdx.x) * lu_tiny_warps<T, Columns> + warp;
  const TraceScope traced(lu.data.trace, TracedWork::front, index < count ? tasks[index].panel : 0, blockIdx.x);
  const bool waits = gridDim.x <= ctas_at_once;  // As in front.cu.
  if (index < count)
    return factor_tiny_lu<OneWarp>(lu, lu.data.panels[tasks[index].panel], memories[warp], waits, AfterLaunches());
  await_launch_before();  // A warp without a front must wait too before the next launch may begin.
}

/// One CTA per front.
template <class T>
__global__ void __launch_bounds__(block_threads) small_lu_kernel(LuData<T> lu, const FrontTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  const FrontTask task = tasks[blockIdx.x];
  const TraceScope traced(lu.data.trace, TracedWork::front, task.panel, blockIdx.x);
  factor_small_lu(lu, task, shared, AfterLaunches());
}

template <class T, int Columns>
void launch_tiny(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  constexpr int warps = lu_tiny_warps<T, Columns>;
  launch_early(tiny_lu_kernel<T, Columns>, dim3(static_cast<unsigned>((count + warps - 1) / warps)), 32 * warps, 0,
               lu.data.early, stream, lu, tasks, count);
}

}  // namespace

template <class T>
void factor_tiny_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, strip>(lu, tasks, count, stream);
}

template <class T>
void factor_narrow_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, narrow_width>(lu, tasks, count, stream);
}

template <class T>
void factor_small_lu_fronts(const LuData<T>& lu, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(small_lu_kernel<T>, dim3(static_cast<unsigned>(count)), block_threads,
               small_lu_front_memory<T>(entries).dynamic_bytes, lu.data.early, stream, lu, tasks);
}

template <class T>
void prepare_lu_kernels() {
  prepare_lu_products<T>();
  prepare_lu_diagonal<T>();
  prepare_lu_trsm<T>();
  prepare_lu_level_run<T>();
  load_kernels(tiny_lu_kernel<T, narrow_width>, tiny_lu_kernel<T, strip>, small_lu_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(small_lu_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                small_lu_front_memory<T>(small_entries / 2).dynamic_bytes));
}

#define INSTANTIATE(T)                                                                                 \
  template void factor_tiny_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_lu_fronts<T>(const LuData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_lu_kernels<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
