#pragma once

/// \file
/// What CTAs write down about themselves while a trace is on.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpusupernodal::cuda {

/// What a traced CTA did.
enum class TracedWork : std::int32_t { front, diagonal, scale, column, product, forward, backward };

/// One CTA, or one task of a CTA that does several; times by the device's global timer, in nanoseconds.
struct TraceRecord {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  TracedWork work = TracedWork::front;
  std::int32_t panel = 0;  ///< In solves: its first column in the matrix; of tasks of several warps 0.
  std::int32_t multiprocessor = 0;
  std::uint32_t task = 0;  ///< Its number in the launch.
};

/// Kernels get a pointer to it in device memory, or nullptr, which costs them a comparison.
struct TraceBuffer {
  TraceRecord* records = nullptr;
  std::uint32_t count = 0;  ///< Asked for; those beyond `capacity` were not written.
  std::uint32_t capacity = 0;
  std::uint32_t stride = 1;  ///< Every stride-th task of a launch is written down.
  std::uint32_t unused = 0;
  std::uint64_t origin = 0;  ///< The global timer when the trace began.
};

/// Empties the buffer and notes the time. Asynchronous; throws DeviceError if the launch is refused.
void begin_trace(TraceBuffer* buffer, cudaStream_t stream);
/// Loads its kernel onto the current device.
void prepare_trace();

}  // namespace gpusupernodal::cuda
