#pragma once

/// \file
/// Arenas of oneTBB for one user at a time.

#include <tbb/task_arena.h>

namespace gpusupernodal {

/// As many threads as oneTBB lets the process have: the cores that it may use, or what a tbb::global_control of the program
/// says. Asked for more, oneTBB prints a warning on standard error and gives no more.
int allowed_threads();

/// Has an arena for itself until it is destroyed. Arenas are kept for those who come later and ask for as many threads, as
/// long as the process lives: making one is not free, and oneTBB 2021.8 loses 7 kB and more of each that had tasks when it
/// is destroyed. An arena keeps the rounding mode of the thread that used it first.
class ArenaLease {
 public:
  /// An arena for `threads`, or for allowed_threads() if these are fewer; one of them is the user's.
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
