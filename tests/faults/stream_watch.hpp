#pragma once

/// \file
/// Records which streams have kernels that no call has waited for; the hooks of cuda_hooks.cpp write it.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gpusupernodal::test {

/// Small tables that never allocate, because hooks run while allocations fail. A stream's clock has, for each stream, the
/// number of kernels there that precede whatever the stream gets next: its own, and those before events that it waits for.
class StreamWatch {
 public:
  void launched(cudaStream_t stream) {
    if (recording_) return;
    const std::size_t s = slot_of(stream, streams_, stream_count_);
    if (s < streams_.size()) ++clocks_[s][s];
  }
  void recorded(cudaEvent_t event, cudaStream_t stream) {
    if (recording_) return;
    const std::size_t e = slot_of(event, events_, event_count_);
    const std::size_t s = slot_of(stream, streams_, stream_count_);
    if (e < events_.size() && s < streams_.size()) at_event_[e] = clocks_[s];
  }
  void waits(cudaStream_t stream, cudaEvent_t event) {
    const std::size_t e = position(event, events_, event_count_);
    const std::size_t s = slot_of(stream, streams_, stream_count_);
    if (!recording_ && e < event_count_ && s < streams_.size()) advance(clocks_[s], at_event_[e]);
  }
  /// Records that the stream was waited for or destroyed.
  void settled(cudaStream_t stream) {
    const std::size_t s = position(stream, streams_, stream_count_);
    if (s < stream_count_) advance(settled_, clocks_[s]);
  }
  void all_settled() {
    for (Clock& clock : clocks_) clock.fill(0);
    settled_.fill(0);
    stream_count_ = 0;
    event_count_ = 0;
  }
  /// Number of streams with kernels that may still run.
  std::size_t unsettled() const {
    std::size_t count = 0;
    for (std::size_t s = 0; s < stream_count_; ++s) count += clocks_[s][s] > settled_[s] ? 1 : 0;
    return count;
  }
  /// Between the start and the end of a capture, nothing runs.
  void recording(bool yes) { recording_ = yes; }
  bool is_recording() const { return recording_; }

 private:
  static constexpr std::size_t most_streams = 64;
  static constexpr std::size_t most_events = 256;
  using Clock = std::array<std::int64_t, most_streams>;

  template <class Handle, std::size_t size>
  static std::size_t position(Handle handle, const std::array<Handle, size>& all, std::size_t count) {
    return static_cast<std::size_t>(std::find(all.begin(), all.begin() + count, handle) - all.begin());
  }
  /// The handle's place, which it gets if it has none; `size` if the table is full.
  template <class Handle, std::size_t size>
  static std::size_t slot_of(Handle handle, std::array<Handle, size>& all, std::size_t& count) {
    const std::size_t found = position(handle, all, count);
    if (found == count && count < size) all[count++] = handle;
    return found;
  }
  static void advance(Clock& clock, const Clock& to) {
    for (std::size_t s = 0; s < most_streams; ++s) clock[s] = std::max(clock[s], to[s]);
  }

  std::array<cudaStream_t, most_streams> streams_{};
  std::array<Clock, most_streams> clocks_{};
  std::size_t stream_count_ = 0;
  std::array<cudaEvent_t, most_events> events_{};
  std::array<Clock, most_events> at_event_{};
  std::size_t event_count_ = 0;
  Clock settled_{};
  bool recording_ = false;
};

/// The process's instance; only one thread calls CUDA in these tests.
StreamWatch& stream_watch();

}  // namespace gpusupernodal::test
