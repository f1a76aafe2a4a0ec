#pragma once

/// \file
/// Kernels loaded before their first launch, and how much shared memory they may ask for.

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

/// Loads kernels onto the current device. Otherwise the driver does so when they are first launched
/// (CUDA_MODULE_LOADING=LAZY is its default): a dozen of them take longer than a small factorization, and a load may wait
/// for what runs on the device. Costs next to nothing where they are loaded. Throws DeviceError.
template <class... Kernels>
void load_kernels(Kernels... kernels) {
  cudaFuncAttributes attributes;
  (GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernels))), ...);
}

/// Bytes of shared memory that the current device gives a CTA at most. Throws DeviceError.
inline int shared_memory_limit() {
  int device = 0;
  int most = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return most;
}

}  // namespace gpusupernodal::cuda
