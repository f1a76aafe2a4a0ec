#pragma once

/// \file
/// Copies between host and device, and what a stream is doing, for callers above the executors.

#include <cstdint>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Copies `bytes` between memory spaces on `stream` (a cudaStream_t), after what was put there before, and waits until it
/// is done. Throws DeviceError, or BackendUnavailable where the build has no CUDA.
void copy_device_bytes(void* to, MemorySpace to_space, const void* from, MemorySpace from_space, std::int64_t bytes,
                       void* stream);

/// Whether a graph is captured on `stream` (a cudaStream_t) now: then nothing may wait for it, nor take or give back device
/// memory. false where the build has no CUDA. Asynchronous, costs well under a microsecond.
bool is_captured(void* stream) noexcept;

/// The calling thread's current CUDA device; 0 where there is none or the build has no CUDA.
int current_device() noexcept;

}  // namespace gpusupernodal
