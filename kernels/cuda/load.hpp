#pragma once

/// \file
/// Loads kernels before their first launch, and tells how much shared memory they may use.

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

/// Loads kernels onto the current device. By default (CUDA_MODULE_LOADING=LAZY) the driver loads a kernel at its first
/// launch: a dozen of them take longer than a small factorization, and loading may wait for work that runs on the
/// device. Costs almost nothing if they are already loaded. Throws DeviceError.
template <class... Kernels>
void load_kernels(Kernels... kernels) {
  cudaFuncAttributes attributes;
  (GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernels))), ...);
}

/// Returns the maximum shared memory per CTA on the current device, in bytes. Throws DeviceError.
inline int shared_memory_limit() {
  int device = 0;
  int bytes = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes;
}

}  // namespace gpusupernodal::cuda
