#pragma once

/// \file
/// Nested fork-join parallelism: threads that execute tasks and loops together.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

namespace gpusupernodal {

/// Number of host threads for the value of an option: the value itself if positive, else the number that the process may
/// use. With oneTBB at most allowed_threads() (base/arena_lease.hpp).
int worker_count(int requested);

/// A team of host threads. With one thread, everything runs immediately on the calling thread and no thread is started.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const { return threads_; }

  /// Calls work() on a thread of the team. Loops and task groups of the team may be used only within `work`. Rethrows what
  /// `work` throws.
  void execute(const std::function<void()>& work);

  /// Calls work(). While it waits for tasks that were forked within it, the calling thread runs no other tasks, because a
  /// long one would delay it. Precondition: `work` does not wait for a TaskGroup whose tasks were forked outside of `work`.
  static void isolate(const std::function<void()>& work);

  /// Calls body(begin, end) for intervals that cover 0 … count−1, each of about `grain` numbers or more, and returns when
  /// all calls have returned. Rethrows what a body throws. The intervals may differ from call to call; results must not
  /// depend on them.
  template <class Body>
  void for_intervals(std::int64_t count, std::int64_t grain, Body&& body) {
    if (threads_ == 1 || count <= grain) {
      if (count > 0) body(std::int64_t{0}, count);
      return;
    }
    const std::int64_t intervals = std::min((count + grain - 1) / grain, std::int64_t{8} * threads_);
    for_each_interval(count, intervals, body);
  }

 private:
  friend class TaskGroup;
  struct Impl;
  void for_each_interval(std::int64_t count, std::int64_t intervals,
                         const std::function<void(std::int64_t, std::int64_t)>& body);

  int threads_;
  std::unique_ptr<Impl> impl_;
};

/// A group of tasks with a common wait().
class TaskGroup {
 public:
  explicit TaskGroup(ThreadTeam& team);
  /// Waits for the running tasks; does not throw.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Schedules task(), which runs on a thread of the team, at the latest during wait().
  void run(std::function<void()> task);
  /// Returns when all tasks have returned. Rethrows what one of them threw.
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusupernodal
