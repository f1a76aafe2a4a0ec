#include "solver/exec/device_copy.hpp"

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.hpp"

namespace gpusupernodal {

void copy_device_bytes(void* to, MemorySpace to_space, const void* from, MemorySpace from_space, std::int64_t bytes,
                       void* stream) {
  const bool to_device = to_space == MemorySpace::device;
  const bool from_device = from_space == MemorySpace::device;
  const cudaMemcpyKind kind = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                                        : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  const auto on = static_cast<cudaStream_t>(stream);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, on));
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(on));
}

}  // namespace gpusupernodal
