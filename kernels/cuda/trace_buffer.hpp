#pragma once

/// \file
/// What CTAs record about themselves while a trace is on.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpusupernodal::cuda {

/// Kind of work of a traced CTA.
enum class TracedWork : std::int32_t { front, diagonal, scale, column, product, forward, backward };

/// Record of one CTA, or of one task of a CTA that runs several. Times are in nanoseconds of the device's global timer.
struct TraceRecord {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  TracedWork work = TracedWork::front;
  std::int32_t panel = 0;  ///< In solves: its first column in the matrix, or 0 for tasks of several warps.
  std::int32_t multiprocessor = 0;
  std::uint32_t task = 0;  ///< Index of the task in its launch.
};

/// Buffer in device memory. Kernels get a pointer to it, or nullptr, which costs them one comparison.
struct TraceBuffer {
  TraceRecord* records = nullptr;
  std::uint32_t count = 0;  ///< Records requested; those beyond `capacity` were not written.
  std::uint32_t capacity = 0;
  std::uint32_t stride = 1;  ///< Every stride-th task of a launch is recorded.
  std::uint32_t unused = 0;
  std::uint64_t origin = 0;  ///< Global timer at the begin of the trace.
};

/// Empties the buffer and records the time. Asynchronous; throws DeviceError if the launch is refused.
void begin_trace(TraceBuffer* buffer, cudaStream_t stream);
/// Loads the kernel of begin_trace onto the current device.
void prepare_trace();

}  // namespace gpusupernodal::cuda
