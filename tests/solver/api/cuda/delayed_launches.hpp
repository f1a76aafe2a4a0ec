#pragma once

/// \file
/// Delays kernel launches: during the lifetime of a DelayedLaunches, a kernel that only waits precedes some of the library's
/// kernels on the same stream. Streams that no event or graph orders then run in a different order.

#include <cstdint>

namespace gpusupernodal::test {

class DelayedLaunches {
 public:
  /// Delays about one launch in `every` by up to `microseconds`, drawn from `seed`.
  DelayedLaunches(int every, double microseconds, std::uint64_t seed);
  ~DelayedLaunches();
  DelayedLaunches(const DelayedLaunches&) = delete;
  DelayedLaunches& operator=(const DelayedLaunches&) = delete;

  /// Number of launches delayed since the constructor.
  std::int64_t count() const;
};

}  // namespace gpusupernodal::test
