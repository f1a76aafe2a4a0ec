#pragma once

/// \file
/// Records which streams of the simulated device are being captured, and whether a call has invalidated the capture;
/// the hooks of cuda_hooks.cpp write it.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gpusupernodal::test {

/// A small set of pointers that never allocates, because hooks run while allocations fail.
class FewPointers {
 public:
  bool has(const void* pointer) const { return std::find(begin(), end(), pointer) != end(); }
  void add(const void* pointer) {
    if (!has(pointer) && count_ < all_.size()) all_[count_++] = pointer;
  }
  void remove(const void* pointer) {
    count_ = static_cast<std::size_t>(
        std::remove(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_), pointer) - all_.begin());
  }
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }

 private:
  const void* const* begin() const { return all_.data(); }
  const void* const* end() const { return all_.data() + count_; }

  std::array<const void*, 4096> all_{};
  std::size_t count_ = 0;
};

/// A single capture. A stream joins it when it waits for an event of a captured stream.
class CaptureWatch {
 public:
  void begin(cudaStream_t stream) {
    invalidated_ = std::exchange(invalidate_next_, false);
    streams_.add(stream);
  }
  void recorded(cudaEvent_t event, cudaStream_t stream) { captures(stream) ? events_.add(event) : events_.remove(event); }
  void waits(cudaStream_t stream, cudaEvent_t event) {
    if (is_active() && events_.has(event)) streams_.add(stream);
  }
  void end() { streams_.clear(); }
  void forget(cudaEvent_t event) { events_.remove(event); }

  bool is_active() const { return !streams_.empty(); }
  bool captures(cudaStream_t stream) const { return streams_.has(stream); }
  /// Whether the event was last recorded in a capture, so that the host cannot wait for it.
  bool has(cudaEvent_t event) const { return events_.has(event); }
  /// Whether the thread must not make calls that could wait for captured work.
  bool forbids() const { return is_active() && !relaxed_; }
  bool relax(bool relaxed) { return std::exchange(relaxed_, relaxed); }
  /// Records a call that is not allowed during a capture.
  void invalidate() { invalidated_ = invalidated_ || is_active(); }
  bool is_invalidated() const { return invalidated_; }
  /// Makes another thread invalidate the next capture.
  void invalidate_next() { invalidate_next_ = true; }
  /// Invalidates the next capture while it is ended.
  void invalidate_next_end() { invalidate_next_end_ = true; }
  void end_begins() {
    if (std::exchange(invalidate_next_end_, false)) invalidate();
  }

 private:
  FewPointers streams_;
  FewPointers events_;
  bool invalidated_ = false;
  bool invalidate_next_ = false;
  bool invalidate_next_end_ = false;
  bool relaxed_ = false;
};

/// The process's instance; only one thread calls CUDA in these tests.
CaptureWatch& capture_watch();

}  // namespace gpusupernodal::test
