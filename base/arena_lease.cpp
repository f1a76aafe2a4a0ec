#include "base/arena_lease.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <mutex>

namespace gpusupernodal {

struct ArenaLease::Kept {
  explicit Kept(int count) : threads(count), arena(count) {}
  int threads;
  tbb::task_arena arena;
  Kept* next = nullptr;  ///< Next unused arena.
};

namespace {

std::mutex mutex;  // Guards the list of unused arenas.

}  // namespace

/// Never destroyed: oneTBB may already be unloaded when the process ends.
ArenaLease::Kept* ArenaLease::unused = nullptr;

int allowed_threads() {
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

ArenaLease::ArenaLease(int threads) : kept_(nullptr) {
  threads = std::min(threads, allowed_threads());
  {
    const std::lock_guard lock(mutex);
    for (Kept** place = &unused; *place != nullptr; place = &(*place)->next) {
      if ((*place)->threads != threads) continue;
      kept_ = *place;
      *place = kept_->next;
      return;
    }
  }
  kept_ = new Kept(threads);
}

ArenaLease::~ArenaLease() {
  const std::lock_guard lock(mutex);
  kept_->next = unused;
  unused = kept_;
}

tbb::task_arena& ArenaLease::operator*() const { return kept_->arena; }

}  // namespace gpusupernodal
