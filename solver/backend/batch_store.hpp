#pragma once

/// \file
/// BatchStore: the values of many systems of one plan, for executors that take one system after another. BatchWorkers: the
/// threads that do so.

#include <cstdint>
#include <functional>
#include <memory>

#include "solver/backend/executor.hpp"

namespace gpusupernodal {

/// Threads of the host that share a loop. One caller at a time.
class BatchWorkers {
 public:
  virtual ~BatchWorkers() = default;
  BatchWorkers() = default;
  BatchWorkers(const BatchWorkers&) = delete;
  BatchWorkers& operator=(const BatchWorkers&) = delete;

  /// The largest number of workers that for_each takes; at least 1.
  virtual int count() const = 0;
  /// Calls work(worker, i) for i = 0 … items−1; each worker makes one call at a time, and takes `at_once` ≥ 1 successive
  /// numbers at a time, in ascending order. When a call has thrown, the numbers that were not begun are left out, and the
  /// first exception is rethrown after all calls have returned. Allocates nothing.
  virtual void for_each(std::int64_t items, std::int64_t at_once,
                        const std::function<void(int worker, std::int64_t i)>& work) = 0;
};

/// Makes at most `threads` workers, at least 1.
std::shared_ptr<BatchWorkers> make_batch_workers(int threads);

/// Systems 0 … count−1. Memory of a system is taken in the constructor; workspace belongs to the executors.
template <class S>
class BatchStore {
 public:
  virtual ~BatchStore() = default;
  BatchStore() = default;
  BatchStore(const BatchStore&) = delete;
  BatchStore& operator=(const BatchStore&) = delete;

  /// An executor with the threads of the options. It must be attached to a system before it factorizes, solves or
  /// multiplies. Throws OutOfMemory.
  virtual std::unique_ptr<Executor<S>> make_executor() = 0;
  /// Later calls of this executor, which make_executor of this store has made, are for this system. Another executor must
  /// not use the system meanwhile. Cost: O(1).
  virtual void attach(Executor<S>& executor, std::int64_t system) = 0;
};

/// Makes the store of the host, for `systems` ≥ 0 systems. Throws OutOfMemory.
template <class S>
std::unique_ptr<BatchStore<S>> make_host_store(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                               std::int64_t systems);

}  // namespace gpusupernodal
