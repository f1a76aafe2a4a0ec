#pragma once

/// \file
/// Runs a graph of small tasks in a precomputed order, without locks.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "solver/factor/graph.hpp"
#include "solver/host/run/spin.hpp"

namespace gpusupernodal {

/// Hands out the numbers 0 … count−1 to workers, which wait at the end until all numbers are done. No worker waits for
/// another one to arrive, so the loop ends with any number of workers.
class SharedLoop {
 public:
  /// Call it before workers begin.
  void reset(std::int64_t count) {
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
  }
  /// Returns the next number; count or more if none is left.
  std::int64_t take() { return next_.fetch_add(1, std::memory_order_relaxed); }
  std::int64_t count() const { return count_; }
  /// Call it once for each number taken.
  void finished() { done_.fetch_add(1, std::memory_order_release); }
  /// Returns when all numbers are done; what was written for them is then visible.
  void wait() const {
    for (Spin spin; done_.load(std::memory_order_acquire) < count_;) spin.wait();
  }

  /// Calls visit(i) for the numbers that this worker takes. `visit` must not throw.
  template <class Visit>
  void work(const Visit& visit) {
    for (std::int64_t i = take(); i < count_; i = take()) {
      visit(i);
      finished();
    }
    wait();
  }

 private:
  // Frequently written members have separate cache lines.
  std::int64_t count_ = 0;
  alignas(64) std::atomic<std::int64_t> next_{0};
  alignas(64) std::atomic<std::int64_t> done_{0};
};

/// Workers take tasks in a topological order (order_of_starts) and wait for the predecessors of each. A task waits only for
/// earlier ones, which other workers have taken, so every run ends.
class OrderedRunner {
 public:
  explicit OrderedRunner(std::size_t max_tasks)
      : pending_(std::make_unique<std::atomic<std::int32_t>[]>(max_tasks)) {}  // NOLINT: atomics do not move.

  /// Call it before workers begin work().
  void start(std::span<const std::int32_t> waits_for) {
    error_ = nullptr;
    failed_.store(false, std::memory_order_relaxed);
    for (std::size_t t = 0; t < waits_for.size(); ++t) pending_[t].store(waits_for[t], std::memory_order_relaxed);
    loop_.reset(static_cast<std::int64_t>(waits_for.size()));
  }

  /// Call it before workers begin work_alone().
  void start_alone() {
    error_ = nullptr;
    failed_.store(false, std::memory_order_relaxed);
    loop_.reset(1);
  }

  /// Called by each worker; returns when all tasks are done. The first worker runs them in the order of the graph, in which
  /// neighbours share what is in the cache. After a task has thrown, the remaining ones are skipped.
  template <class TaskType, class Run>
  void work_alone(const Graph<TaskType>& graph, int worker, const Run& run) {
    loop_.work([&](std::int64_t) {
      for (const TaskType& task : graph.tasks) attempt([&] { run(task, worker); });
    });
  }

  /// Called by each worker; returns when all tasks are done. After a task has thrown, the remaining ones are skipped.
  template <class TaskType, class Run>
  void work(const Graph<TaskType>& graph, std::span<const TaskId> order, int worker, const Run& run) {
    loop_.work([&](std::int64_t i) {
      const TaskId task = order[static_cast<std::size_t>(i)];
      wait_for(task);
      attempt([&] { run(graph.tasks[task], worker); });
      for (const TaskId successor : graph.successors_of(task)) release(successor);
    });
  }

  /// Rethrows the first exception of a task. Call it after all workers have returned.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<std::int32_t>& pending(TaskId task) { return pending_[static_cast<std::size_t>(task.value)]; }
  void wait_for(TaskId task) {
    const std::atomic<std::int32_t>& waits_for = pending(task);
    for (Spin spin; waits_for.load(std::memory_order_acquire) != 0;) spin.wait();
  }
  void release(TaskId task) { pending(task).fetch_sub(1, std::memory_order_release); }

  template <class Work>
  void attempt(const Work& work) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }

  std::unique_ptr<std::atomic<std::int32_t>[]> pending_;  // NOLINT: for each task, predecessors that have not finished.
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  ///< Written by the worker that set failed_.
  SharedLoop loop_;
};

}  // namespace gpusupernodal
