#pragma once

/// \file
/// Trace of a device: launches by events on their streams, sampled CTAs by the records that they write.

#include <memory>
#include <vector>

#include "kernels/cuda/trace_buffer.hpp"
#include "solver/backend/trace.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"

namespace gpusupernodal::cuda {

/// Exists while a trace is on. Belongs to one executor; used on one device and by one thread at a time.
class DeviceTrace {
 public:
  /// Precondition: `plan` outlives this object. Throws OutOfMemory.
  DeviceTrace(const CudaPlan& plan, const std::shared_ptr<Allocator>& allocator);
  /// Returns the bytes allocated.
  std::int64_t memory_bytes() const { return slab_.size(); }

  /// Returns the buffer for kernels; nullptr while nothing is recorded.
  TraceBuffer* buffer() const { return is_running() ? buffer_ : nullptr; }
  /// Clears the trace and synchronizes the clocks of host and device; waits for `stream`.
  void start(cudaStream_t stream);
  /// Stops recording until the next start(): launches captured into a caller's graph have no times.
  void stop() { running_ = false; }
  /// Pauses recording of a trace's solves, or continues it.
  void set_paused(bool paused) { paused_ = paused; }
  bool is_running() const { return running_ && !paused_; }

  /// Begins a slice that covers work put on `stream` until end_mark() with the returned number. Streams are numbered in
  /// the order of first use.
  std::size_t begin_mark(const char* name, cudaStream_t stream, std::int64_t tasks);
  /// Ends a slice; a slice whose end cannot be recorded is dropped.
  void end_mark(std::size_t mark, cudaStream_t stream) noexcept;

  /// Returns all marks and records so far as slices, and the calls; waits for the device.
  const Trace& collect();
  /// Calls of the caller, recorded by traced().
  Trace& calls() { return calls_; }

 private:
  struct Mark {
    const char* name = "";
    std::int32_t lane = 0;
    std::int64_t tasks = 0;
    bool ended = false;
  };
  std::int32_t lane_of(cudaStream_t stream);
  void collect_marks();
  void collect_records();

  const CudaPlan& plan_;
  Slab slab_;
  TraceBuffer* buffer_ = nullptr;  ///< In device memory.
  TraceRecord* records_ = nullptr;
  Event origin_{cudaEventDefault};
  std::int64_t origin_time_ = 0;  ///< Time of the origin event on the trace's clock.
  bool running_ = false;
  bool paused_ = false;
  std::vector<cudaStream_t> streams_;
  std::vector<Mark> marks_;
  std::vector<Event> events_;  ///< Two per mark, reused by the next factorization.
  Trace calls_;
  Trace all_;
};

/// A mark that ends when end() is called or it is destroyed; does nothing without a trace or without tasks.
class LaunchMark {
 public:
  /// `tasks` −1: unknown.
  LaunchMark(DeviceTrace* trace, const char* name, cudaStream_t stream, std::int64_t tasks = -1)
      : trace_(trace != nullptr && trace->is_running() && tasks != 0 ? trace : nullptr), stream_(stream) {
    if (trace_ != nullptr) mark_ = trace_->begin_mark(name, stream, tasks);
  }
  ~LaunchMark() { end(); }
  LaunchMark(const LaunchMark&) = delete;
  LaunchMark& operator=(const LaunchMark&) = delete;
  void end() noexcept {
    if (trace_ != nullptr) trace_->end_mark(mark_, stream_);
    trace_ = nullptr;
  }

 private:
  DeviceTrace* trace_;
  cudaStream_t stream_;
  std::size_t mark_ = 0;
};

}  // namespace gpusupernodal::cuda
