#pragma once

/// \file
/// The CUDA runtime, cuBLAS and cuSOLVER as our code sees them: link cuda_hooks.cpp into the test program, and every call
/// can fail. Where there is no device, a simulated one takes its place: its memory is the host's, copies copy, kernels and
/// library calls do nothing, and every factorization is said to have succeeded. Numbers mean nothing then, but all that an
/// error passes through is the same.

#include <array>
#include <cstdint>

#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Kinds of calls, each with its error.
enum class CudaCall {
  memory,   ///< cudaMalloc, cudaHostAlloc: cudaErrorMemoryAllocation.
  copy,     ///< Copies and fills: cudaErrorInvalidValue.
  launch,   ///< Kernels: cudaErrorLaunchOutOfResources.
  create,   ///< Streams and events: cudaErrorUnknown; cuBLAS's and cuSOLVER's handles: not initialized.
  order,    ///< Events recorded and waited for, streams and devices waited for: cudaErrorUnknown.
  query,    ///< What the device is and has, attributes: cudaErrorUnknown.
  graph,    ///< A graph made executable: cudaErrorMemoryAllocation, without which a factorization is launched in pieces.
  library,  ///< Calls of cuBLAS and cuSOLVER: their execution failed.
  any       ///< All of these; counted together.
};
inline constexpr std::array<CudaCall, 9> all_cuda_calls{CudaCall::memory, CudaCall::copy,    CudaCall::launch,
                                                        CudaCall::create, CudaCall::order,   CudaCall::query,
                                                        CudaCall::graph,  CudaCall::library, CudaCall::any};
const char* name_of(CudaCall call);

Injection& cuda_faults(CudaCall call);

/// Whether the call that was last made to fail was recorded into a graph, or launched one: without the graph, the work is
/// launched piece by piece.
bool graph_was_refused();
/// Set: kernels cannot be launched while a graph is recorded.
bool& launches_fail_in_recordings();

/// The k-th call of any kind loses the device: it and all later ones return cudaErrorLaunchFailure, as after a kernel that
/// trapped, until revive_device(). What is given back meanwhile is given back all the same.
Injection& device_loss();
bool device_is_lost();
void revive_device();

bool device_is_simulated();

/// What the simulated device says is free; no allocation changes it.
std::size_t& simulated_free_memory();

/// Calls in which the host waited for the device: streams, devices, copies that are not asynchronous, and events that were
/// not just found to have happened.
std::int64_t host_waits();

/// Allocations, streams, events and library handles that were made and not given back.
std::int64_t cuda_objects();

}  // namespace gpusupernodal::test
