#pragma once

/// \file
/// Launches that may begin before the preceding launch in the stream has ended (programmatic dependent launch, compute
/// capability 9.0). They read index structures in the meantime.

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

/// Largest number of CTAs of a launch that a large device runs all at once.
inline constexpr unsigned ctas_at_once = 264;

/// Allows the next launch of the stream to begin before this one has ended. If it is called after await_launch_before,
/// the next launch can read everything written before this launch from its beginning on.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until everything written by earlier launches is visible.
__device__ inline void await_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// How a front in the launch of its level depends on others: it waits for earlier launches before it reads values, and the
/// next launch may begin then. Nothing waits for its updates until the launch ends.
struct AfterLaunches {
  __device__ void await_values() const {
    await_launch_before();
    let_next_launch_begin();
  }
  __device__ void updated() const {}
};

/// Launches kernel<<<grid, threads, shared, stream>>>(arguments…); with `early`, it may begin early. Throws
/// DeviceError.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, int threads, int shared, bool early, cudaStream_t stream,
                  const Arguments&... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads), 1, 1);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace gpusupernodal::cuda
