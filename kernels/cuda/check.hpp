#pragma once

/// \file
/// Reports CUDA's error codes. Kernels do not know exception types: solver/cuda/run defines check().

#include <cuda_runtime_api.h>

namespace gpusupernodal::cuda {

/// Throws OutOfMemory (cudaErrorMemoryAllocation) or DeviceError with the call's name unless `code` is cudaSuccess.
void check(cudaError_t code, const char* call, const char* file, int line);

}  // namespace gpusupernodal::cuda

#define GPUSUPERNODAL_CUDA_CHECK(call) ::gpusupernodal::cuda::check((call), #call, __FILE__, __LINE__)
/// Reports errors of a kernel launch itself. Use it right after the launch.
#define GPUSUPERNODAL_CUDA_CHECK_LAUNCH(kernel) \
  ::gpusupernodal::cuda::check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)
