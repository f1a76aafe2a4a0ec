#pragma once

/// \file
/// Starts a number of workers and waits for them.

#include <functional>
#include <memory>

namespace gpusupernodal {

/// Number of host threads for an option value: itself, or for 0 what the process may use. With oneTBB at most
/// allowed_threads() (base/arena_lease.hpp), because more are not to be had.
int worker_count(int requested);

/// Threads for pieces of work that follow one another, in factorizations and solves: unlike a ThreadTeam's groups and loops,
/// a piece allocates nothing of ours, and its workers round as the caller does. One caller at a time.
class WorkerTeam {
 public:
  /// At most `count` workers, the calling thread among them. Threads are taken when there is work for the first time.
  explicit WorkerTeam(int count);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int count() const { return count_; }

  /// Calls work(0) … work(workers−1), workers ≤ count(), each on a thread of its own as far as there are any, and returns
  /// when all have returned. work(0) runs on the calling thread. `work` must not throw, and must not rely on two calls
  /// running together.
  void run(int workers, const std::function<void(int)>& work);

 private:
  struct Threads;
  int count_;
  std::unique_ptr<Threads> threads_;  ///< None for one worker.
};

}  // namespace gpusupernodal
