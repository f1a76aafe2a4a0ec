#pragma once

/// \file
/// Common parts of the hooks' definitions: cuda_hooks.cpp and library_hooks.cpp define hooks, hook_state.cpp decides
/// which call fails.

#include <dlfcn.h>

#include "tests/faults/cuda_hooks.hpp"
#include "tests/faults/simulated_device.hpp"

namespace gpusupernodal::test {

template <class Function>
Function* real_function(const char* name) {
  void* const address = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(address);
}

/// The error that this call of this kind must return, or cudaSuccess.
cudaError_t refused(CudaCall call);
/// As refused(), for calls that record, instantiate or launch a graph.
cudaError_t refused_of_graph(CudaCall call);
/// left_unread stores and returns an error that cudaGetLastError must report.
cudaError_t left_unread(cudaError_t code);
cudaError_t last_error();
/// Counts a created object.
cudaError_t made(cudaError_t code);
/// Counts an object as freed, even if the call must report the loss of the device.
cudaError_t given_back(cudaError_t code);

}  // namespace gpusupernodal::test

#define NAME_OF(name) #name
/// A runtime function that may fail, and its replacement on the simulated device.
#define HOOK(kind, name, parameters, arguments, simulated)                                               \
  cudaError_t name parameters {                                                                          \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// A function that first executes `note`.
#define HOOK_NOTING(note, kind, name, parameters, arguments, simulated)                                  \
  cudaError_t name parameters {                                                                          \
    note;                                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// A function that creates an object.
#define HOOK_MAKE(kind, name, parameters, arguments, simulated)                                                \
  cudaError_t name parameters {                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                          \
    if (code != cudaSuccess) return code;                                                                      \
    return made(device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments); \
  }
