#pragma once

/// \file
/// Reuse of oneTBB task arenas.

#include <tbb/task_arena.h>

namespace gpusupernodal {

/// The maximum number of threads that oneTBB grants the process: the cores that it may use, or the limit of a
/// tbb::global_control of the program. If more are requested, oneTBB prints a warning on standard error and grants no more.
int allowed_threads();

/// Exclusive use of an arena until the lease is destroyed. The process keeps unused arenas for later leases with the same
/// number of threads and never destroys them: creating one takes time, and oneTBB 2021.8 leaks at least 7 kB for each
/// destroyed arena that has run tasks. An arena keeps the rounding mode of the thread that used it first.
class ArenaLease {
 public:
  /// Takes an arena for min(threads, allowed_threads()) threads, the calling thread included.
  explicit ArenaLease(int threads);
  ~ArenaLease();
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;

  tbb::task_arena& operator*() const;
  tbb::task_arena* operator->() const { return &**this; }

 private:
  struct Kept;
  static Kept* unused;  ///< Head of the list of unused arenas.
  Kept* kept_;
};

}  // namespace gpusupernodal
