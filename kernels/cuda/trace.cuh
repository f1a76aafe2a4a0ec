#pragma once

/// \file
/// TraceScope records when and where a CTA ran, in two lines per kernel.

#include "kernels/cuda/trace_buffer.hpp"

namespace gpusupernodal::cuda {

__device__ inline std::uint64_t global_timer() {
  std::uint64_t nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__device__ inline std::int32_t multiprocessor_id() {
  std::int32_t id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// Covers a CTA's task: `const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);`. Only
/// thread 0 writes, so the recorded end is the end of its part. State is kept in shared memory and in the kernel's
/// parameters, so it takes no registers; without a buffer it costs one comparison at each end. Precondition: no other
/// TraceScope is alive in the CTA.
class TraceScope {
 public:
  __device__ TraceScope(TraceBuffer* buffer, TracedWork work, std::int32_t panel, unsigned task) : buffer_(buffer) {
    if (buffer_ != nullptr) begin(buffer_, work, panel, task);
  }
  __device__ ~TraceScope() {
    if (buffer_ != nullptr) end(buffer_);
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  // Out of line: the registers that they need are saved around the call instead of being taken from the kernel.
  __device__ __noinline__ static void begin(TraceBuffer* buffer, TracedWork work, std::int32_t panel, unsigned task) {
    if (threadIdx.x != 0) return;
    place() = task % buffer->stride == 0 ? atomicAdd(&buffer->count, 1U) : buffer->capacity;
    if (place() >= buffer->capacity) return;
    TraceRecord& record = buffer->records[place()];
    record.work = work;
    record.panel = panel;
    record.multiprocessor = multiprocessor_id();
    record.task = task;
    record.begin = global_timer();
  }
  __device__ __noinline__ static void end(TraceBuffer* buffer) {
    if (threadIdx.x == 0 && place() < buffer->capacity) buffer->records[place()].end = global_timer();
  }
  __device__ static std::uint32_t& place() {
    __shared__ std::uint32_t slot;
    return slot;
  }
  TraceBuffer* buffer_;
};

}  // namespace gpusupernodal::cuda
