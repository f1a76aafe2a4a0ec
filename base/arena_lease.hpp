#pragma once

/// \file
/// Arenas of oneTBB for one user at a time.

#include <tbb/task_arena.h>

namespace gpusupernodal {

/// Has an arena for itself until it is destroyed. Arenas are kept for those who come later and ask for as many threads, as
/// long as the process lives: making one is not free, and oneTBB 2021.8 loses 7 kB and more of each that had tasks when it
/// is destroyed. An arena keeps the rounding mode of the thread that used it first.
class ArenaLease {
 public:
  /// An arena for `threads`, one of them the user's.
  explicit ArenaLease(int threads);
  ~ArenaLease();
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;

  tbb::task_arena& operator*() const;
  tbb::task_arena* operator->() const { return &**this; }

 private:
  struct Kept;
  static Kept* unused;  ///< The first of a list.
  Kept* kept_;
};

}  // namespace gpusupernodal
