#pragma once

/// \file
/// Launches that may begin before the launch before them in the stream has ended (programmatic dependent launch, compute
/// capability 9.0): what they need of index structures is read meanwhile.

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

/// A launch of no more CTAs than this begins all of them at once on a large device.
inline constexpr unsigned ctas_at_once = 264;

/// The next launch of the stream may begin before this one has ended. Where it is called after await_launch_before, what
/// launches before this one wrote can be read by the next one from its beginning on.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Waits until all that earlier launches wrote can be read.
__device__ inline void await_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// kernel<<<grid, threads, shared, stream>>>(arguments…), with leave to begin early. Throws DeviceError.
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
