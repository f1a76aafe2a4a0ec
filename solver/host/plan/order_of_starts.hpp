#pragma once

/// \file
/// List scheduling: a start order of tasks for several workers, and the resulting makespan.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/factor/graph.hpp"

namespace gpusupernodal {

/// Time to start a task that another worker has released: about a microsecond, expressed in flops.
inline constexpr double flops_of_a_start = 2500.0;

struct ListSchedule {
  std::vector<TaskId> order;  ///< Start order of the tasks; a topological order.
  double flops = 0.0;         ///< Makespan, in flops of one worker.
};

/// Simulates `workers` workers that, whenever idle, start the ready task with the longest critical path (list
/// scheduling: Graham, 1966). If workers take tasks in this order, the next task is almost always ready. A task's
/// duration is its flops plus flops_of_a_start. Cost: O(tasks · log(tasks) + edges).
template <class TaskType>
ListSchedule list_schedule(const Graph<TaskType>& graph, int workers) {
  if (graph.tasks.size() == 1) return {{TaskId(0)}, graph.tasks[TaskId(0)].flops};  // Common for small matrices.
  using Ready = std::pair<double, std::int32_t>;    // Critical path and negated id: ties go to the lowest id.
  using Running = std::pair<double, std::int32_t>;  // Negated end time and negated id.
  std::vector<Ready> ready;
  std::vector<Running> running;
  const auto push = [](auto& heap, double key, std::int32_t value) {
    heap.emplace_back(key, value);
    std::push_heap(heap.begin(), heap.end());
  };
  const auto pop = [](auto& heap) {
    std::pop_heap(heap.begin(), heap.end());
    const auto top = heap.back();
    heap.pop_back();
    return top;
  };
  auto pending = graph.waits_for;
  for (TaskId t : graph.tasks.ids()) {
    if (pending[t] == 0) push(ready, graph.critical_flops[t], -t.value);
  }
  ListSchedule schedule;
  schedule.order.reserve(graph.tasks.size());
  double now = 0.0;
  while (!ready.empty() || !running.empty()) {
    while (!ready.empty() && static_cast<int>(running.size()) < workers) {
      const TaskId task(-pop(ready).second);
      schedule.order.push_back(task);
      push(running, -(now + graph.tasks[task].flops + flops_of_a_start), -task.value);
    }
    const Running first = pop(running);
    now = -first.first;
    for (const TaskId successor : graph.successors_of(TaskId(-first.second))) {
      if (--pending[successor] == 0) push(ready, graph.critical_flops[successor], -successor.value);
    }
  }
  schedule.flops = now;
  return schedule;
}

}  // namespace gpusupernodal
