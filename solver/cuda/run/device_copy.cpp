#include "solver/backend/device_copy.hpp"

#include <cuda_runtime_api.h>

#include "gpusupernodal/error.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Throws BackendUnavailable for views in device memory on a machine without a device: that is the caller's mistake,
/// not a device error.
void require_device(cudaError_t code) {
  if (code != cudaErrorInsufficientDriver && code != cudaErrorNoDevice) return;
  static_cast<void>(cudaGetLastError());
  fail<BackendUnavailable>("a matrix or vector is in device memory, but {}", cuda_availability().reason);
}

}  // namespace

void copy_device_bytes(void* to, MemorySpace to_space, const void* from, MemorySpace from_space, std::int64_t bytes,
                       void* stream) {
  const bool to_device = to_space == MemorySpace::device;
  const bool from_device = from_space == MemorySpace::device;
  const cudaMemcpyKind kind = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                                        : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  const auto on = static_cast<cudaStream_t>(stream);
  const cudaError_t code = cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, on);
  require_device(code);
  cuda::check(code, "cudaMemcpyAsync", __FILE__, __LINE__);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(on));
}

bool is_captured(void* stream) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  if (code == cudaSuccess) return status != cudaStreamCaptureStatusNone;
  static_cast<void>(cudaGetLastError());
  return code == cudaErrorStreamCaptureImplicit;
}

int current_device() noexcept {
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) return device;
  static_cast<void>(cudaGetLastError());
  return 0;
}

}  // namespace gpusupernodal
