#include <tbb/task_group.h>

#include <algorithm>
#include <new>

#include "base/arena_lease.hpp"
#include "solver/host/run/float_mode.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

struct WorkerTeam::Threads {
  explicit Threads(int count) : arena(count) {}
  ArenaLease arena;
};

WorkerTeam::WorkerTeam(int count)
    : count_(std::max(count, 1)), threads_(count_ > 1 ? std::make_unique<Threads>(count_) : nullptr) {}

WorkerTeam::~WorkerTeam() = default;

void WorkerTeam::run(int workers, const std::function<void(int)>& work) {
  if (workers <= 1 || !threads_) {
    work(0);
    return;
  }
  // An arena keeps the rounding mode of the thread that used it first.
  const FloatMode mode = FloatMode::of_this_thread();
  threads_->arena->execute([&] {
    tbb::task_group group;
    try {
      for (int i = 1; i < workers; ++i) {
        group.run([&work, mode, i] {
          const WithFloatMode with(mode);
          work(i);
        });
      }
    } catch (const std::bad_alloc&) {
      // No memory for more tasks: the workers that were started do all the work.
    }
    // Isolated: while a callback of the caller waits, this thread must not start another worker.
    tbb::this_task_arena::isolate([&] {
      const WithFloatMode with(mode);
      work(0);
    });
    group.wait();
  });
}

}  // namespace gpusupernodal
