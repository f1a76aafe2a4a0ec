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
    if (buffer_ == nullptr || threadIdx.x != 0) return;
    place() = task % buffer_->stride == 0 ? atomicAdd(&buffer_->count, 1U) : buffer_->capacity;
    if (place() >= buffer_->capacity) return;
    TraceRecord& record = buffer_->records[place()];
    record.work = work;
    record.panel = panel;
    record.multiprocessor = multiprocessor_id();
    record.begin = global_timer();
  }
  __device__ ~TraceScope() {
    if (buffer_ == nullptr || threadIdx.x != 0) return;
    if (place() < buffer_->capacity) buffer_->records[place()].end = global_timer();
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  __device__ static std::uint32_t& place() {
    __shared__ std::uint32_t slot;
    return slot;
  }
  TraceBuffer* buffer_;
};

}  // namespace gpusupernodal::cuda
