#pragma once

/// \file
/// Kernels that begin late: while one of these lives, a kernel that only waits is put before some of the library's, on the
/// same stream. What streams are not ordered by an event or a graph then meet in another order.

#include <cstdint>

namespace gpusupernodal::test {

class DelayedLaunches {
 public:
  /// About one launch in `every` waits for up to `microseconds`, drawn from `seed`.
  DelayedLaunches(int every, double microseconds, std::uint64_t seed);
  ~DelayedLaunches();
  DelayedLaunches(const DelayedLaunches&) = delete;
  DelayedLaunches& operator=(const DelayedLaunches&) = delete;

  /// Launches that were delayed since the constructor.
  std::int64_t count() const;
};

}  // namespace gpusupernodal::test
