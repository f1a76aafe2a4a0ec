#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <new>

#include "solver/exec/host/workers.hpp"

namespace gpusupernodal {

int worker_count(int requested) { return requested > 0 ? requested : tbb::info::default_concurrency(); }

void run_workers(int count, const std::function<void(int)>& work) {
  if (count == 1) {
    work(0);
    return;
  }
  tbb::task_arena arena(count);
  arena.execute([&] {
    tbb::task_group group;
    try {
      for (int i = 1; i < count; ++i) group.run([&work, i] { work(i); });
    } catch (const std::bad_alloc&) {
      // No memory for more tasks: the workers that were started do all the work.
    }
    work(0);
    group.wait();
  });
}

}  // namespace gpusupernodal
