#pragma once

/// \file
/// A trace of what runs on a device: launches by events on their streams, sampled CTAs by records that they write.

#include <memory>
#include <vector>

#include "kernels/cuda/trace_buffer.hpp"
#include "solver/backend/trace.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"

namespace gpusupernodal::cuda {

/// Exists while a trace is on. One executor's; used on one device and by one thread at a time.
class DeviceTrace {
 public:
  /// `plan` must outlive it. Throws OutOfMemory.
  DeviceTrace(const CudaPlan& plan, const std::shared_ptr<Allocator>& allocator);
  /// Bytes taken from the allocator.
  std::int64_t memory_bytes() const { return slab_.size(); }

  /// For kernels; nullptr while nothing is noted.
  TraceBuffer* buffer() const { return is_running() ? buffer_ : nullptr; }
  /// Forgets what was traced, and sets the clocks of host and device side by side: waits for `stream`.
  void start(cudaStream_t stream);
  /// Until the next start nothing is noted: what goes into a caller's graph has no times.
  void stop() { running_ = false; }
  /// The same for the solves of a trace, which goes on when it is set to false.
  void set_paused(bool paused) { paused_ = paused; }
  bool is_running() const { return running_ && !paused_; }

  /// Work put on `stream` until the mark with this number ends is one slice. Streams are numbered as they first come.
  std::size_t begin_mark(const char* name, cudaStream_t stream, std::int64_t tasks);
  /// A mark whose end cannot be recorded is left out.
  void end_mark(std::size_t mark, cudaStream_t stream) noexcept;

  /// All marks and records so far as slices, and the calls; waits for the device.
  const Trace& collect();
  /// Calls of the caller's are noted here by traced().
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
  TraceBuffer* buffer_ = nullptr;  ///< On the device.
  TraceRecord* records_ = nullptr;
  Event origin_{cudaEventDefault};
  std::int64_t origin_time_ = 0;  ///< Of the trace's clock when the origin event happened.
  bool running_ = false;
  bool paused_ = false;
  std::vector<cudaStream_t> streams_;
  std::vector<Mark> marks_;
  std::vector<Event> events_;  ///< Two a mark, kept for the next factorization.
  Trace calls_;
  Trace all_;
};

/// A mark until it ends or is destroyed; nothing where there is no trace or no task.
class LaunchMark {
 public:
  /// `tasks` −1: not known.
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
