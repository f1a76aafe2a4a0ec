#pragma once

/// \file
/// Records the shared memory that kernels request and are launched with, and compares it with the limits of a device,
/// real or pretended; the hooks of cuda_hooks.cpp write it.

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cuda/shared_memory.hpp"

namespace gpusupernodal::test {

/// A small table that never allocates, because hooks run while allocations fail.
class LimitWatch {
 public:
  static constexpr cuda::SharedMemoryLimits of_simulated{1 << 17, 1 << 17, 1 << 17};
  /// Static shared memory of every kernel with dynamic shared memory: the trace's slot.
  static constexpr int simulated_static_bytes = cuda::trace_bytes;
  static constexpr int always_allowed = 48 * 1024;

  /// Sets the limits that the device reports; per_cta 0: those of the simulated or real device.
  void pretend(const cuda::SharedMemoryLimits& limits) { limits_ = limits; }
  bool pretends() const { return limits_.per_cta > 0; }
  const cuda::SharedMemoryLimits& limits() const { return pretends() ? limits_ : of_simulated; }

  /// Records the request of a kernel; returns whether the device can grant it.
  bool allow(const void* kernel, int dynamic_bytes, int static_bytes) {
    const bool fits = dynamic_bytes + static_bytes <= limits().per_cta;
    excesses_ += fits ? 0 : 1;
    largest_ = std::max(largest_, dynamic_bytes + static_bytes);
    if (fits) entry(kernel) = {kernel, dynamic_bytes};
    return fits;
  }
  /// Whether a launch with this much dynamic shared memory was granted.
  bool may_launch(const void* kernel, std::size_t dynamic_bytes) {
    const int allowed = std::max(entry(kernel).dynamic_bytes, always_allowed - simulated_static_bytes);
    const bool fits = static_cast<int>(dynamic_bytes) <= allowed;
    excesses_ += fits ? 0 : 1;
    return fits;
  }
  /// Number of requests that were too large, and the largest request.
  int excesses() const { return excesses_; }
  int largest() const { return largest_; }
  void forget() {
    limits_ = {};
    entries_ = {};
    count_ = 0;
    excesses_ = largest_ = 0;
  }

 private:
  struct Entry {
    const void* kernel = nullptr;
    int dynamic_bytes = 0;
  };
  Entry& entry(const void* kernel) {
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::find_if(entries_.begin(), end, [&](const Entry& e) { return e.kernel == kernel; });
    if (found != end || count_ == entries_.size()) return *std::min(found, entries_.end() - 1);
    entries_[count_] = {kernel, 0};
    return entries_[count_++];
  }

  cuda::SharedMemoryLimits limits_;
  std::array<Entry, 256> entries_{};
  std::size_t count_ = 0;
  int excesses_ = 0;
  int largest_ = 0;
};

/// The process's instance; only one thread calls CUDA in these tests.
LimitWatch& limit_watch();

}  // namespace gpusupernodal::test
