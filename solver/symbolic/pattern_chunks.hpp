#pragma once

/// \file
/// A pattern in runs of columns (or rows) for the threads of a team.

#include <algorithm>
#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/common/index_dispatch.hpp"

namespace gpusupernodal {

/// Chunks of about as many entries each, few where there are few: each thread keeps counts of its own.
class PatternChunks {
 public:
  /// At most `most`. Pattern and team must outlive it.
  PatternChunks(const PatternView& pattern, ThreadTeam& team, std::int64_t most = many)
      : pattern_(pattern),
        team_(team),
        count_(pattern.n == 0 ? 1
                              : std::clamp<std::int64_t>(pattern.entries() / entries_per_thread, 1,
                                                         std::min<std::int64_t>({most, many, team.threads()}))) {}

  std::int64_t count() const { return count_; }

  /// Calls body(chunk) for all of them.
  template <class Body>
  void each(const Body& body) const {
    team_.for_intervals(count_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) body(chunk);
    });
  }

  /// First column of a chunk; that of chunk count() is n. Cost O(log n).
  std::int64_t border(std::int64_t chunk) const {
    if (chunk == count_) return pattern_.n;
    const std::int64_t wanted = pattern_.entries() * chunk / count_;
    return with_index_pointer(pattern_.offsets, [&](auto offsets) -> std::int64_t {
      return std::lower_bound(offsets, offsets + pattern_.n, wanted) - offsets;
    });
  }

 private:
  static constexpr std::int64_t entries_per_thread = 20'000;
  static constexpr std::int64_t many = 16;

  const PatternView& pattern_;
  ThreadTeam& team_;
  std::int64_t count_;
};

}  // namespace gpusupernodal
