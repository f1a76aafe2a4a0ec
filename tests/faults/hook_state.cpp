#include <cuda_runtime_api.h>

#include <utility>

#include "tests/faults/capture_watch.hpp"
#include "tests/faults/cuda_hooks.hpp"
#include "tests/faults/hook_macros.hpp"
#include "tests/faults/kernel_watch.hpp"
#include "tests/faults/limit_watch.hpp"
#include "tests/faults/stream_watch.hpp"

namespace gpusupernodal::test {
namespace {

constinit std::array<Injection, all_cuda_calls.size()> injections;
constinit Injection loss;
constinit std::atomic<bool> lost{false};
constinit std::atomic<std::int64_t> objects{0};
constinit std::atomic<bool> of_graph{false};  ///< Whether the last failed call belonged to a graph.
thread_local cudaError_t unread = cudaSuccess;

cudaError_t error_of(CudaCall call) {
  switch (call) {
    case CudaCall::memory:
    case CudaCall::graph:
      return cudaErrorMemoryAllocation;
    case CudaCall::copy:
      return cudaErrorInvalidValue;
    case CudaCall::launch:
      return cudaErrorLaunchOutOfResources;
    default:
      return cudaErrorUnknown;
  }
}

}  // namespace

cudaError_t refused(CudaCall call) {
  const bool this_one = cuda_faults(call).fails();
  const bool of_all = cuda_faults(CudaCall::any).fails();
  if (loss.fails()) lost = true;
  if (lost) return unread = cudaErrorLaunchFailure;
  if (call == CudaCall::launch && launches_fail_in_recordings() && stream_watch().is_recording())
    return unread = error_of(call);
  if (!this_one && !of_all) return cudaSuccess;
  of_graph = call == CudaCall::graph || stream_watch().is_recording();
  return unread = error_of(call);
}
cudaError_t made(cudaError_t code) {
  if (code == cudaSuccess) ++objects;
  return code;
}
cudaError_t given_back(cudaError_t code) {
  --objects;
  return lost ? (unread = cudaErrorLaunchFailure) : code;
}

cudaError_t left_unread(cudaError_t code) { return unread = code; }
cudaError_t last_error() { return std::exchange(unread, lost ? cudaErrorLaunchFailure : cudaSuccess); }

cudaError_t refused_of_graph(CudaCall call) {
  const cudaError_t code = refused(call);
  of_graph = of_graph || code != cudaSuccess;
  return code;
}
bool graph_was_refused() { return of_graph; }
bool& launches_fail_in_recordings() {
  static constinit bool fail = false;
  return fail;
}

CaptureWatch& capture_watch() {
  static constinit CaptureWatch watch;
  return watch;
}
LimitWatch& limit_watch() {
  static constinit LimitWatch watch;
  return watch;
}
StreamWatch& stream_watch() {
  static constinit StreamWatch watch;
  return watch;
}

KernelWatch& kernel_watch() {
  static constinit KernelWatch watch;
  return watch;
}

const char* name_of(CudaCall call) {
  constexpr std::array<const char*, all_cuda_calls.size()> names{"memory", "copy",  "launch",  "create", "order",
                                                                 "query",  "graph", "library", "any"};
  return names[static_cast<std::size_t>(call)];
}
Injection& cuda_faults(CudaCall call) { return injections[static_cast<std::size_t>(call)]; }
Injection& device_loss() { return loss; }
bool device_is_lost() { return lost; }
void revive_device() {
  lost = false;
  unread = cudaSuccess;
  stream_watch().recording(false);
  capture_watch().end();
}
std::int64_t cuda_objects() { return objects; }
std::size_t& simulated_free_memory() {
  static std::size_t bytes = std::size_t{1} << 34;
  return bytes;
}

int& simulated_devices() {
  static constinit int devices = 1;
  return devices;
}
bool& simulated_peer_access() {
  static constinit bool possible = true;
  return possible;
}

bool device_is_simulated() {
  static const bool simulated = [] {
    int count = 0;
    const auto ask = real_function<decltype(cudaGetDeviceCount)>("cudaGetDeviceCount");
    return ask(&count) != cudaSuccess || count == 0;
  }();
  return simulated;
}

}  // namespace gpusupernodal::test
