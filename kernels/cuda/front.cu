/// \file
/// Whole small fronts: factorize the panel in shared memory, write it back, and subtract the update from the ancestors.
/// One launch replaces the three of a front that is spread over CTAs, and the panel is read once.

#include "kernels/cuda/level_run_kernels.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/small_front.cuh"
#include "kernels/cuda/tiny_front.cuh"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class T, bool InOrder, int Columns, class Data>
__global__ void __launch_bounds__(32 * tiny_warps<T>, tiny_ctas<T, Columns>)
    tiny_kernel(Data data, const FrontTask* tasks, int count) {
  __shared__ __align__(shared_alignment) TinyFrontMemory<T, Columns> memories[tiny_warps<T>];
  const int warp = warp_number();
  const int index = claim_task<InOrder>(data) * tiny_warps<T> + warp;
  const TraceScope traced(data.trace, TracedWork::front, index < count ? tasks[index].panel : 0, blockIdx.x);
  // If all CTAs fit on the device, the preceding launch is still running; otherwise loads of the panel come first.
  const bool waits = gridDim.x <= ctas_at_once;
  if (index < count)
    return factor_tiny<OneWarp, InOrder>(data, data.panels[tasks[index].panel], memories[warp], waits, AfterLaunches());
  await_launch_before();  // A warp without a front must wait too before the next launch may begin.
}

/// One CTA per front.
template <class T, bool InOrder, class Data>
__global__ void __launch_bounds__(block_threads, block_ctas<T>) small_kernel(Data data, const FrontTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  const FrontTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::front, task.panel, blockIdx.x);
  factor_small<T, InOrder>(data, task, shared, AfterLaunches());
}

template <class T, int Columns, class Data>
void launch_tiny(const Data& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  auto kernel = tiny_kernel<T, false, Columns, Data>;
  if constexpr (std::is_same_v<Data, FactorData<T>> && Columns != narrow) {
    if (data.tasks_added != nullptr) kernel = tiny_kernel<T, true, Columns, Data>;
  }
  launch_early(kernel, dim3(static_cast<unsigned>((count + tiny_warps<T> - 1) / tiny_warps<T>)), 32 * tiny_warps<T>, 0,
               data.early, stream, data, tasks, count);
}

template <class T, class Data>
void launch_small(const Data& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  if (count == 0) return;
  auto kernel = small_kernel<T, false, Data>;
  if constexpr (std::is_same_v<Data, FactorData<T>>) {
    if (data.tasks_added != nullptr) kernel = small_kernel<T, true, Data>;
  }
  launch_early(kernel, dim3(static_cast<unsigned>(count)), block_threads, small_front_memory<T>(entries).dynamic_bytes,
               data.early, stream, data, tasks);
}

template <class T, bool InOrder, class Data>
void prepare_small() {
  load_kernels(small_kernel<T, InOrder, Data>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(small_kernel<T, InOrder, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                small_front_memory<T>(small_entries).dynamic_bytes));
}

}  // namespace

template <class T>
void factor_tiny_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, strip>(data, tasks, count, stream);
}
template <class T>
void factor_tiny_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_tiny<T, strip>(taken, tasks, count, stream); });
}

template <class T>
void factor_narrow_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  launch_tiny<T, narrow>(data, tasks, count, stream);
}
template <class T>
void factor_narrow_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_tiny<T, narrow>(taken, tasks, count, stream); });
}

template <class T>
void factor_small_fronts(const FactorData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  launch_small<T>(data, tasks, count, entries, stream);
}
template <class T>
void factor_small_ldlt_fronts(const LdltData<T>& data, const FrontTask* tasks, int count, int entries, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch_small<T>(taken, tasks, count, entries, stream); });
}

template <class T>
void prepare_factor_kernels() {
  using Data = FactorData<T>;
  prepare_products<T>();
  prepare_diagonal<T>();
  prepare_trsm<T>();
  prepare_level_run<T>();
  load_kernels(tiny_kernel<T, false, narrow, Data>, tiny_kernel<T, false, strip, Data>, tiny_kernel<T, true, strip, Data>);
  prepare_small<T, false, Data>();
  prepare_small<T, true, Data>();
}

namespace {

template <class T, class Data>
void prepare_ldlt_fronts() {
  load_kernels(tiny_kernel<T, false, narrow, Data>, tiny_kernel<T, false, strip, Data>);
  prepare_small<T, false, Data>();
}

}  // namespace

template <class T>
void prepare_ldlt_kernels(bool symmetric) {
  prepare_ldlt_products<T>(symmetric);
  prepare_ldlt_diagonal<T>(symmetric);
  prepare_ldlt_trsm<T>(symmetric);
  prepare_ldlt_level_run<T>(symmetric);
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare_ldlt_fronts<T, SymmetricData<T>>();
  }
  prepare_ldlt_fronts<T, LdltData<T>>();
}

#define INSTANTIATE(T)                                                                                  \
  template void factor_tiny_fronts<T>(const FactorData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_fronts<T>(const FactorData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_fronts<T>(const FactorData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_factor_kernels<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                                     \
  template void factor_tiny_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, cudaStream_t);       \
  template void factor_narrow_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, cudaStream_t);     \
  template void factor_small_ldlt_fronts<T>(const LdltData<T>&, const FrontTask*, int, int, cudaStream_t); \
  template void prepare_ldlt_kernels<T>(bool)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
