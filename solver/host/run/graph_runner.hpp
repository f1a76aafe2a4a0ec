#pragma once

/// \file
/// Runs a task graph on the host's threads.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "solver/factor/graph.hpp"
#include "solver/host/run/spin.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// Keeps the bookkeeping for graphs of up to a given size, so that running one allocates nothing.
/// Workers take the ready task with the longest path behind it; a worker goes on with one of the tasks that it released
/// itself, whose inputs are in its cache.
class GraphRunner {
 public:
  explicit GraphRunner(std::size_t max_tasks) {
    pending_.reserve(max_tasks);
    ready_.reserve(max_tasks);
  }

  /// Calls run(task, worker) for every task after all that it waits for. The first exception thrown by a task stops
  /// the run and is rethrown here. One run at a time.
  template <class TaskType, class Run>
  void run(const Graph<TaskType>& graph, WorkerTeam& team, int workers, const Run& run);

 private:
  template <class TaskType, class Run>
  void work(const Graph<TaskType>& graph, int worker, const Run& run);
  void look_out() const;
  TaskId next_task();
  TaskId finish_task(std::span<const TaskId> successors);
  bool less_urgent(TaskId a, TaskId b) const { return (*priority_)[a] < (*priority_)[b]; }
  void push(TaskId task);
  TaskId pop();
  /// What workers that look out see; under the lock, after all changes.
  void show() { something_.store(!ready_.empty() || unfinished_ == 0 || error_, std::memory_order_relaxed); }

  std::mutex mutex_;  ///< Guards all below; what a task wrote is published by it.
  std::condition_variable changed_;
  std::atomic<bool> something_{false};                  ///< A task is ready, or there will be none: no need to sleep.
  std::vector<std::int32_t> pending_;                   ///< Predecessors that have not finished, a task.
  std::vector<TaskId> ready_;                           ///< Heap by critical_flops.
  const IdVector<TaskId, double>* priority_ = nullptr;  ///< Of the graph that runs.
  std::size_t unfinished_ = 0;
  std::exception_ptr error_;
};

template <class TaskType, class Run>
void GraphRunner::run(const Graph<TaskType>& graph, WorkerTeam& team, int workers, const Run& run) {
  if (graph.tasks.size() == 1) return run(graph.tasks[TaskId(0)], 0);  // As for small matrices: no order is needed.
  ready_.clear();
  error_ = nullptr;
  priority_ = &graph.critical_flops;
  unfinished_ = graph.tasks.size();
  pending_.assign(graph.waits_for.begin(), graph.waits_for.end());
  for (TaskId t : graph.tasks.ids()) {
    if (graph.waits_for[t] == 0) push(t);
  }
  show();
  const int useful = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(workers), graph.tasks.size()));
  const auto work_as = [&](int worker) { work(graph, worker, run); };
  if (useful > 0) team.run(useful, std::ref(work_as));  // By reference: a std::function of the lambda would allocate.
  if (error_) std::rethrow_exception(error_);
}

template <class TaskType, class Run>
void GraphRunner::work(const Graph<TaskType>& graph, int worker, const Run& run) {
  TaskId task = next_task();
  while (task.valid()) {
    try {
      run(graph.tasks[task], worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      show();
      changed_.notify_all();
      return;
    }
    task = finish_task(graph.successors_of(task));
    if (!task.valid()) task = next_task();
  }
}

}  // namespace gpusupernodal
