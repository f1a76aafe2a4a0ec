#pragma once

/// \file
/// BatchStore: the values of many systems of one plan, for executors that take one system after another.

#include <cstdint>
#include <functional>
#include <memory>

#include "solver/backend/executor.hpp"

namespace gpusupernodal {

/// Systems 0 … count−1, and the workers that work on them. Memory of a system is taken in the constructor; workspace belongs
/// to the executors.
template <class S>
class BatchStore {
 public:
  virtual ~BatchStore() = default;
  BatchStore() = default;
  BatchStore(const BatchStore&) = delete;
  BatchStore& operator=(const BatchStore&) = delete;

  /// The largest number of workers that for_each takes; at least 1.
  virtual int workers() const = 0;
  /// An executor with one thread, for one worker. It must be attached to a system before it factorizes, solves or
  /// multiplies. Throws OutOfMemory.
  virtual std::unique_ptr<Executor<S>> make_executor() = 0;
  /// Later calls of this executor, which make_executor of this store has made, are for this system. Another executor must
  /// not use the system meanwhile. Cost: O(1).
  virtual void attach(Executor<S>& executor, std::int64_t system) = 0;
  /// Calls work(worker, system) for every system; each worker makes one call at a time. When a call has thrown, the systems
  /// that were not begun are left out, and the first exception is rethrown after all calls have returned.
  virtual void for_each(const std::function<void(int worker, std::int64_t system)>& work) = 0;
};

/// Makes the store of the host. `systems` is at least 0. Throws OutOfMemory.
template <class S>
std::unique_ptr<BatchStore<S>> make_host_store(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                               std::int64_t systems);

}  // namespace gpusupernodal
