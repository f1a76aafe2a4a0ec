#include "../device.hpp"

#include <cuda_runtime_api.h>

#include <gpusupernodal/info.hpp>
#include <gpusupernodal/names.hpp>
#include <stdexcept>

namespace example::device {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

std::string missing() {
  for (const gpusupernodal::BackendInfo& backend : gpusupernodal::backends()) {
    if (backend.name == name_of(gpusupernodal::Backend::cuda)) return backend.available ? "" : backend.reason;
  }
  return "this gpusupernodal knows no CUDA";
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // Clears the error, which later calls of cudaGetLastError would return again.
    return nullptr;
  }
  check(status);
  return memory;
}

void deallocate(void* memory) noexcept { cudaFree(memory); }

void* create_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void destroy_stream(void* stream) { check(cudaStreamDestroy(stream_of(stream))); }

void wait_for(void* stream) { check(cudaStreamSynchronize(stream_of(stream))); }

void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)));
}

void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)));
  wait_for(stream);
}

}  // namespace example::device
