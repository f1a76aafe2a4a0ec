// oneTBB before 2021.6 (Ubuntu 22.04) offers a task_group with a context of its caller as a preview only.
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
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
  // With a bound context, cancelling the enclosing task group would end the loop early, and it would return as if complete.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  // Isolated: a thread that waits for the end of the loop must not start a long unrelated task.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, intervals, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          body(count * range.begin() / intervals, count * range.end() / intervals);
        },
        context);
  });
}

/// Isolated: the cancellation of an enclosing task group must not cancel these tasks, because wait() would not report it.
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
    // Destructors must not throw; wait() is the function that reports exceptions.
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
