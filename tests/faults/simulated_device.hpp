#pragma once

/// \file
/// CUDA's functions on the simulated device, whose memory is host memory.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "kernels/common/records.hpp"
#include "tests/faults/limit_watch.hpp"

// The heap without fault injection (heap.cpp), because the device's memory does not count as host memory.
extern "C" void* __real_malloc(std::size_t bytes);
extern "C" void __real_free(void* pointer);

namespace gpusupernodal::test {

/// The only node of every graph.
inline constexpr cudaGraphNode_t simulated_node = nullptr;

/// A handle of the simulated device.
template <class Handle>
cudaError_t make_handle(Handle* handle) {
  *handle = static_cast<Handle>(__real_malloc(1));
  return cudaSuccess;
}

inline cudaError_t take(void** pointer, std::size_t bytes) {
  *pointer = __real_malloc(bytes);
  std::memset(*pointer, 0, bytes);
  return cudaSuccess;
}

/// A copy of this size to the host is always the status of a factorization.
inline cudaError_t move(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  std::memcpy(to, from, bytes);
  if (kind == cudaMemcpyDeviceToHost && bytes == sizeof(cuda::DeviceStatus)) {
    cuda::DeviceStatus sound;
    sound.bad_entry = cuda::no_entry;
    sound.failed_column = cuda::no_column;
    std::memcpy(to, &sound, sizeof(sound));
  }
  return cudaSuccess;
}

inline cudaError_t move_matrix(void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width,
                               std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    std::memcpy(static_cast<char*>(to) + c * ld_to, static_cast<const char*>(from) + c * ld_from, width);
  }
  return cudaSuccess;
}

inline cudaError_t describe(cudaDeviceProp* properties) {
  *properties = cudaDeviceProp{};
  std::strncpy(properties->name, "simulated", sizeof(properties->name) - 1);
  properties->major = 9;
  properties->totalGlobalMem = std::size_t{1} << 34;
  return cudaSuccess;
}

inline cudaError_t describe_kernel(cudaFuncAttributes* attributes) {
  *attributes = cudaFuncAttributes{};
  attributes->ptxVersion = 90;
  attributes->sharedSizeBytes = LimitWatch::simulated_static_bytes;
  return cudaSuccess;
}

inline cudaError_t set(int* to, int value) {
  *to = value;
  return cudaSuccess;
}

}  // namespace gpusupernodal::test
