#pragma once

/// \file
/// Threads that work on tasks and loops together: fork and join, where what is forked may fork again.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

namespace gpusupernodal {

/// Number of host threads for an option's value: the value itself, or for 0 the number that the process may use. With
/// oneTBB at most allowed_threads() (base/arena_lease.hpp), because it gives no more.
int worker_count(int requested);

/// A number of host threads. With one thread everything runs at once on the calling one, and no thread is started.
class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const { return threads_; }

  /// Calls work() as one of the team. Loops and groups of the team are for use inside of it. What `work` throws comes out.
  void execute(const std::function<void()>& work);

  /// Calls work(). Where it waits for tasks that were forked in it, the calling thread takes up none that were not: a long
  /// one would keep it from going on. So `work` may not wait for a TaskGroup that was filled outside of it.
  static void isolate(const std::function<void()>& work);

  /// Calls body(begin, end) for intervals that cover 0 … count−1, each of about `grain` numbers or more, and returns when
  /// all have returned. What a body throws comes out. The intervals differ from call to call: results must not depend on
  /// them.
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

/// Tasks that are waited for together.
class TaskGroup {
 public:
  explicit TaskGroup(ThreadTeam& team);
  /// Waits for what still runs, without throwing.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Calls task() on some thread of the team, at the latest in wait().
  void run(std::function<void()> task);
  /// Returns when all tasks have; what one of them threw comes out.
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusupernodal
