#pragma once

/// \file
/// Replaces the CUDA runtime, cuBLAS and cuSOLVER for our code: link cuda_hooks.cpp into the test program, and every
/// call can be made to fail. Without a device, a simulated one is used: its memory is host memory, copies copy, kernels
/// and library calls do nothing, and every factorization reports success. Numbers are then meaningless, but errors take
/// the same paths.

#include <array>
#include <cstdint>

#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Kinds of calls, each with the error that it returns.
enum class CudaCall {
  memory,   ///< cudaMalloc, cudaHostAlloc: cudaErrorMemoryAllocation.
  copy,     ///< Copies and fills: cudaErrorInvalidValue.
  launch,   ///< Kernels: cudaErrorLaunchOutOfResources.
  create,   ///< Streams and events: cudaErrorUnknown; cuBLAS's and cuSOLVER's handles: not initialized.
  order,    ///< Recording of events; waits for events, streams and devices: cudaErrorUnknown.
  query,    ///< Queries of devices and attributes: cudaErrorUnknown.
  graph,    ///< Instantiation of a graph: cudaErrorMemoryAllocation; the factorization is then launched piece by piece.
  library,  ///< Calls of cuBLAS and cuSOLVER: execution failed.
  any       ///< All of these, counted together.
};
inline constexpr std::array<CudaCall, 9> all_cuda_calls{CudaCall::memory, CudaCall::copy,    CudaCall::launch,
                                                        CudaCall::create, CudaCall::order,   CudaCall::query,
                                                        CudaCall::graph,  CudaCall::library, CudaCall::any};
const char* name_of(CudaCall call);

Injection& cuda_faults(CudaCall call);

/// Whether the call that last failed recorded or launched a graph; the work is then launched piece by piece.
bool graph_was_refused();
/// If true, kernel launches fail while a graph is recorded.
bool& launches_fail_in_recordings();

/// The k-th call of any kind loses the device: it and all later calls return cudaErrorLaunchFailure, as after a
/// faulting kernel, until revive_device(). Calls that free something still free it.
Injection& device_loss();
bool device_is_lost();
void revive_device();

bool device_is_simulated();

/// Free memory that the simulated device reports; allocations do not change it.
std::size_t& simulated_free_memory();

/// Number of simulated devices, and whether they can access each other's memory.
int& simulated_devices();
bool& simulated_peer_access();

/// Number of calls in which the host waited for the device: waits for streams and devices, synchronous copies, and
/// waits for events that were not just found to be complete.
std::int64_t host_waits();

/// Number of live allocations, streams, events and library handles.
std::int64_t cuda_objects();

}  // namespace gpusupernodal::test
