#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <utility>

#include "base/arena_lease.hpp"
#include "base/thread_team.hpp"

namespace gpusupernodal {

int worker_count(int requested) {
  const int wanted = requested > 0 ? requested : tbb::info::default_concurrency();
  return std::min(wanted, allowed_threads());
}

struct ThreadTeam::Impl {
  explicit Impl(int threads) : arena(threads) {}
  ArenaLease arena;
};

ThreadTeam::ThreadTeam(int threads)
    : threads_(std::max(threads, 1)), impl_(threads_ > 1 ? std::make_unique<Impl>(threads_) : nullptr) {}

ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::execute(const std::function<void()>& work) {
  if (impl_) {
    impl_->arena->execute(work);
  } else {
    work();
  }
}

void ThreadTeam::isolate(const std::function<void()>& work) { tbb::this_task_arena::isolate(work); }

void ThreadTeam::for_each_interval(std::int64_t count, std::int64_t intervals,
                                   const std::function<void(std::int64_t, std::int64_t)>& body) {
  // Bound to a group's context, a loop in a task of a group that is given up would end early and return as if it were done.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  // Isolated: a thread that waits for the end of a loop must not begin a long task of another kind.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, intervals, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          body(count * range.begin() / intervals, count * range.end() / intervals);
        },
        context);
  });
}

/// Given up by itself, not with the task in which it was made, which could not tell.
struct TaskGroup::Impl {
  tbb::task_group_context context{tbb::task_group_context::isolated};
  tbb::task_group group{context};
};

TaskGroup::TaskGroup(ThreadTeam& team) : impl_(team.threads() > 1 ? std::make_unique<Impl>() : nullptr) {}

TaskGroup::~TaskGroup() {
  if (!impl_) return;
  try {
    impl_->group.cancel();
    impl_->group.wait();
  } catch (...) {
    // Something else is thrown already, or nobody asked.
  }
}

void TaskGroup::run(std::function<void()> task) {
  if (impl_) {
    impl_->group.run(std::move(task));
  } else {
    task();
  }
}

void TaskGroup::wait() {
  if (impl_) impl_->group.wait();
}

}  // namespace gpusupernodal
