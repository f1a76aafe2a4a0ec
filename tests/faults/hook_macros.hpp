#pragma once

/// \file
/// What the definitions of the hooks have in common: cuda_hooks.cpp and library_hooks.cpp have these, hook_state.cpp says
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

/// The error that a call of this kind has to return, or cudaSuccess.
cudaError_t refused(CudaCall call);
/// The same of a call without which a graph cannot be recorded, made or launched.
cudaError_t refused_of_graph(CudaCall call);
/// An error that cudaGetLastError has to return, and what it returns.
cudaError_t left_unread(cudaError_t code);
cudaError_t last_error();
/// Counts what was made.
cudaError_t made(cudaError_t code);
/// What gives back does so even where it has to report the loss of the device.
cudaError_t given_back(cudaError_t code);

}  // namespace gpusupernodal::test

#define NAME_OF(name) #name
/// A function of the runtime that may fail, and what the simulated device does in its place.
#define HOOK(kind, name, parameters, arguments, simulated)                                               \
  cudaError_t name parameters {                                                                          \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// One that leaves a note first.
#define HOOK_NOTING(note, kind, name, parameters, arguments, simulated)                                  \
  cudaError_t name parameters {                                                                          \
    note;                                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                    \
    if (code != cudaSuccess) return code;                                                                \
    return device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments; \
  }
/// One that makes something.
#define HOOK_MAKE(kind, name, parameters, arguments, simulated)                                                \
  cudaError_t name parameters {                                                                                \
    const cudaError_t code = refused(CudaCall::kind);                                                          \
    if (code != cudaSuccess) return code;                                                                      \
    return made(device_is_simulated() ? (simulated) : real_function<decltype(name)>(NAME_OF(name)) arguments); \
  }
