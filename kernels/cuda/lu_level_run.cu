/// \file
/// Whole fronts of a run of levels in one launch, of LU.

#include <algorithm>

#include "kernels/cuda/level_run.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_small_front.cuh"
#include "kernels/cuda/lu_tiny_front.cuh"
#include "kernels/cuda/scalar_list.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Warps that factorize narrow fronts, of those of a CTA: for as many there is shared memory.
template <class T>
inline constexpr int narrow_warps = ScalarTraits<T>::bytes == 16 ? run_warps / 2 : run_warps;

template <class T>
__global__ void __launch_bounds__(block_threads) lu_level_run_kernel(LuData<T> lu, LevelRun run) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  auto* const memories = reinterpret_cast<TinyLuMemory<T, narrow_width>*>(shared);
  run_levels<narrow_warps<T>>(
      run, lu.data.trace,
      [&](auto team, const FrontTask& task, const auto& gate) {
        using Team = decltype(team);
        factor_tiny_lu<Team>(lu, lu.data.panels[task.panel], memories[Team::index()], true, gate);
      },
      [&](const FrontTask& task, const auto& gate) { factor_small_lu(lu, task, shared, gate); });
}

/// Dynamic shared memory of a launch whose largest front has `entries` entries in each panel.
template <class T>
int run_bytes(int entries) {
  return std::max(static_cast<int>(narrow_warps<T> * sizeof(TinyLuMemory<T, narrow_width>)),
                  small_lu_front_memory<T>(entries).dynamic_bytes);
}

}  // namespace

template <class T>
void factor_lu_level_run(const LuData<T>& lu, const LevelRun& run, cudaStream_t stream) {
  launch_early(lu_level_run_kernel<T>, dim3(static_cast<unsigned>(std::min(run.count, run_ctas))), block_threads,
               run_bytes<T>(run.entries), lu.data.early, stream, lu, run);
}

template <class T>
void prepare_lu_level_run() {
  load_kernels(lu_level_run_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(lu_level_run_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                run_bytes<T>(small_entries / 2)));
}

#define INSTANTIATE(T)                                                                   \
  template void factor_lu_level_run<T>(const LuData<T>&, const LevelRun&, cudaStream_t); \
  template void prepare_lu_level_run<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
