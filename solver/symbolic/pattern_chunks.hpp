#pragma once

/// \file
/// A partition of a pattern into chunks of consecutive columns (or rows) for the threads of a team.

#include <algorithm>
#include <cstdint>

#include "base/thread_team.hpp"
#include "solver/common/index_dispatch.hpp"

namespace gpusupernodal {

/// Chunks with about equal numbers of entries. Their number is small, because the callers keep arrays per chunk.
class PatternChunks {
 public:
  /// Makes at most `limit` chunks. Precondition: `pattern` and `team` outlive the object.
  PatternChunks(const PatternView& pattern, ThreadTeam& team, std::int64_t limit = max_chunks)
      : pattern_(pattern),
        team_(team),
        count_(pattern.n == 0 ? 1
                              : std::clamp<std::int64_t>(pattern.entries() / entries_per_thread, 1,
                                                         std::min<std::int64_t>({limit, max_chunks, team.threads()}))) {}

  std::int64_t count() const { return count_; }

  /// Calls body(chunk) for every chunk, concurrently on the team.
  template <class Body>
  void each(const Body& body) const {
    team_.for_intervals(count_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) body(chunk);
    });
  }

  /// First column of a chunk; n for chunk count(). Cost O(log n).
  std::int64_t border(std::int64_t chunk) const {
    if (chunk == count_) return pattern_.n;
    const std::int64_t wanted = pattern_.entries() * chunk / count_;
    return with_index_pointer(pattern_.offsets, [&](auto offsets) -> std::int64_t {
      return std::lower_bound(offsets, offsets + pattern_.n, wanted) - offsets;
    });
  }

 private:
  static constexpr std::int64_t entries_per_thread = 20'000;
  static constexpr std::int64_t max_chunks = 16;

  const PatternView& pattern_;
  ThreadTeam& team_;
  std::int64_t count_;
};

}  // namespace gpusupernodal
