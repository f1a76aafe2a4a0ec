#pragma once

/// \file
/// Runs a task graph on the host's threads.

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "solver/factor/graph.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// Runs graphs of up to a given number of tasks; the constructor allocates, runs do not. A worker takes the ready task with
/// the longest path behind it, but prefers a task that it has just released itself, whose inputs are in its cache.
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
  TaskId next_task();
  TaskId finish_task(std::span<const TaskId> successors);
  bool less_urgent(TaskId a, TaskId b) const { return (*priority_)[a] < (*priority_)[b]; }
  void push(TaskId task);
  TaskId pop();

  std::mutex mutex_;  ///< Guards all members below, and publishes what tasks write.
  std::condition_variable changed_;
  std::vector<std::int32_t> pending_;                   ///< For each task: predecessors that have not finished.
  std::vector<TaskId> ready_;                           ///< Heap by critical_flops.
  const IdVector<TaskId, double>* priority_ = nullptr;  ///< critical_flops of the current graph.
  std::size_t unfinished_ = 0;
  std::exception_ptr error_;
};

template <class TaskType, class Run>
void GraphRunner::run(const Graph<TaskType>& graph, WorkerTeam& team, int workers, const Run& run) {
  if (graph.tasks.size() == 1) return run(graph.tasks[TaskId(0)], 0);  // Common for small matrices.
  ready_.clear();
  error_ = nullptr;
  priority_ = &graph.critical_flops;
  unfinished_ = graph.tasks.size();
  pending_.assign(graph.waits_for.begin(), graph.waits_for.end());
  for (TaskId t : graph.tasks.ids()) {
    if (graph.waits_for[t] == 0) push(t);
  }
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
      changed_.notify_all();
      return;
    }
    task = finish_task(graph.successors_of(task));
    if (!task.valid()) task = next_task();
  }
}

}  // namespace gpusupernodal
