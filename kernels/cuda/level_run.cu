/// \file
/// Whole fronts of a run of levels in one launch, of Cholesky and LDLᵀ.

#include <algorithm>

#include "kernels/cuda/level_run.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/small_front.cuh"
#include "kernels/cuda/tiny_front.cuh"

namespace gpusupernodal::cuda {
namespace {

template <class T, class Data>
__global__ void __launch_bounds__(block_threads) level_run_kernel(Data data, LevelRun run) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  auto* const memories = reinterpret_cast<TinyFrontMemory<T, narrow>*>(shared);
  run_levels<run_warps>(
      run, data.trace,
      [&](auto team, const FrontTask& task, const auto& gate) {
        using Team = decltype(team);
        factor_tiny<Team, false>(data, data.panels[task.panel], memories[Team::index()], true, gate);
      },
      [&](const FrontTask& task, const auto& gate) { factor_small<T, false>(data, task, shared, gate); });
}

/// Dynamic shared memory of a launch whose largest front has `entries` entries.
template <class T>
int run_bytes(int entries) {
  return std::max(static_cast<int>(run_warps * sizeof(TinyFrontMemory<T, narrow>)),
                  small_front_memory<T>(entries).dynamic_bytes);
}

template <class T, class Data>
void launch(const Data& data, const LevelRun& run, cudaStream_t stream) {
  launch_early(level_run_kernel<T, Data>, dim3(static_cast<unsigned>(std::min(run.count, run_ctas))), block_threads,
               run_bytes<T>(run.entries), data.early, stream, data, run);
}

template <class T, class Data>
void prepare() {
  load_kernels(level_run_kernel<T, Data>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(level_run_kernel<T, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                run_bytes<T>(small_entries)));
}

}  // namespace

template <class T>
void factor_level_run(const FactorData<T>& data, const LevelRun& run, cudaStream_t stream) {
  launch<T>(data, run, stream);
}
template <class T>
void factor_ldlt_level_run(const LdltData<T>& data, const LevelRun& run, cudaStream_t stream) {
  as_kernels_take(data, [&](const auto& taken) { launch<T>(taken, run, stream); });
}

template <class T>
void prepare_level_run() {
  prepare<T, FactorData<T>>();
}
template <class T>
void prepare_ldlt_level_run(bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare<T, SymmetricData<T>>();
  }
  prepare<T, LdltData<T>>();
}

#define INSTANTIATE(T)                                                                    \
  template void factor_level_run<T>(const FactorData<T>&, const LevelRun&, cudaStream_t); \
  template void prepare_level_run<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                       \
  template void factor_ldlt_level_run<T>(const LdltData<T>&, const LevelRun&, cudaStream_t); \
  template void prepare_ldlt_level_run<T>(bool)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
