#pragma once

/// \file
/// TraceScope: two lines a kernel, by which a CTA writes down when and where it ran.

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

/// Lives as long as a CTA's task: `const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);`.
/// Thread 0 alone writes, so the end is when it has done its part. What is kept between the two is in shared memory and in
/// the kernel's parameters, so that no register is taken; without a buffer there is one comparison at each end. One at a
/// time in a CTA.
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
  // Out of line: what they need of registers is saved around the call instead of being taken from the kernel.
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
