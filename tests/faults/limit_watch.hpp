#pragma once

/// \file
/// Shared memory that kernels are allowed and launched with, beside the limits of a device that may be another than this
/// one; written by the hooks of cuda_hooks.cpp.

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cuda/shared_memory.hpp"

namespace gpusupernodal::test {

/// A few kernels, without allocating: hooks run where memory is refused.
class LimitWatch {
 public:
  static constexpr cuda::SharedMemoryLimits of_simulated{1 << 17, 1 << 17, 1 << 17};
  /// What the trace's slot takes of the shared memory of every kernel that takes some at its launch.
  static constexpr int simulated_declared = cuda::trace_bytes;
  static constexpr int always_allowed = 48 * 1024;

  /// What the device says from now on; of_cta 0: what the device that is there says.
  void pretend(const cuda::SharedMemoryLimits& limits) { limits_ = limits; }
  bool pretends() const { return limits_.of_cta > 0; }
  const cuda::SharedMemoryLimits& limits() const { return pretends() ? limits_ : of_simulated; }

  /// Whether the device can allow it.
  bool allow(const void* kernel, int at_launch, int declared) {
    const bool fits = at_launch + declared <= limits().of_cta;
    excesses_ += fits ? 0 : 1;
    largest_ = std::max(largest_, at_launch + declared);
    if (fits) entry(kernel) = {kernel, at_launch};
    return fits;
  }
  /// Whether a launch has been allowed so many.
  bool may_launch(const void* kernel, std::size_t at_launch) {
    const int allowed = std::max(entry(kernel).at_launch, always_allowed - simulated_declared);
    const bool fits = static_cast<int>(at_launch) <= allowed;
    excesses_ += fits ? 0 : 1;
    return fits;
  }
  /// Requests that were too large, and the largest of all.
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
    int at_launch = 0;
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

/// Of this process; CUDA is called by one thread in these tests.
LimitWatch& limit_watch();

}  // namespace gpusupernodal::test
