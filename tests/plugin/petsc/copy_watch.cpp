#include "tests/plugin/petsc/copy_watch.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstddef>

namespace gpusupernodal::test {
namespace {

BusTraffic traffic;

template <class Function>
Function* real_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool on_device(const void* pointer) {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess && attributes.type == cudaMemoryTypeDevice;
}

void count(const void* to, const void* from, std::size_t bytes) {
  const bool to_device = on_device(to);
  const bool from_device = on_device(from);
  if (to_device && !from_device) traffic.bytes_to_device += static_cast<std::int64_t>(bytes);
  if (!to_device && from_device) traffic.bytes_to_host += static_cast<std::int64_t>(bytes);
}

}  // namespace

BusTraffic bus_traffic() { return traffic; }

bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

}  // namespace gpusupernodal::test

using gpusupernodal::test::count;
using gpusupernodal::test::real_function;
using gpusupernodal::test::traffic;

extern "C" {

#pragma GCC visibility push(default)

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  count(to, from, bytes);
  ++traffic.waits;
  return real_function<decltype(cudaMemcpy)>("cudaMemcpy")(to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  count(to, from, bytes);
  return real_function<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync")(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  count(to, from, width * height);
  ++traffic.waits;
  return real_function<decltype(cudaMemcpy2D)>("cudaMemcpy2D")(to, ld_to, from, ld_from, width, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t ld_to, const void* from, std::size_t ld_from, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  count(to, from, width * height);
  return real_function<decltype(cudaMemcpy2DAsync)>("cudaMemcpy2DAsync")(to, ld_to, from, ld_from, width, height, kind,
                                                                         stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++traffic.waits;
  return real_function<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize")(stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++traffic.waits;
  return real_function<decltype(cudaEventSynchronize)>("cudaEventSynchronize")(event);
}

cudaError_t cudaDeviceSynchronize() {
  ++traffic.waits;
  return real_function<decltype(cudaDeviceSynchronize)>("cudaDeviceSynchronize")();
}

#pragma GCC visibility pop

}  // extern "C"
