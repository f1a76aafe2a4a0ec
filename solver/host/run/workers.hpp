#pragma once

/// \file
/// Starts a number of workers and waits for them.

#include <functional>
#include <memory>

namespace gpusupernodal {

/// Threads for factorizations and solves. Unlike the groups and loops of a ThreadTeam, run() allocates no memory, and its
/// workers use the caller's rounding mode. One caller at a time.
class WorkerTeam {
 public:
  /// At most `count` workers, the calling thread among them. Threads are created by the first run().
  explicit WorkerTeam(int count);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int count() const { return count_; }

  /// Calls work(0) … work(workers−1), workers ≤ count(), on separate threads as far as there are enough, and returns
  /// when all have returned. work(0) runs on the calling thread. `work` must not throw, and must not rely on two calls
  /// running together.
  void run(int workers, const std::function<void(int)>& work);

 private:
  struct Threads;
  int count_;
  std::unique_ptr<Threads> threads_;  ///< None for one worker.
};

}  // namespace gpusupernodal
