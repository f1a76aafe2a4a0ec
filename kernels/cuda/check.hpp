#pragma once

/// \file
/// How kernels report CUDA's error codes. Kernels know no exception types: solver/cuda/run defines the functions.

#include <cuda_runtime_api.h>

namespace gpusupernodal::cuda {

/// Throws OutOfMemory (cudaErrorMemoryAllocation) or DeviceError with the call's name unless `code` is cudaSuccess.
void check(cudaError_t code, const char* call, const char* file, int line);

}  // namespace gpusupernodal::cuda

#define GPUSUPERNODAL_CUDA_CHECK(call) ::gpusupernodal::cuda::check((call), #call, __FILE__, __LINE__)
/// After a launch: reports what the launch itself got wrong.
#define GPUSUPERNODAL_CUDA_CHECK_LAUNCH(kernel) \
  ::gpusupernodal::cuda::check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)
