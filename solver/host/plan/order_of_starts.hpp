#pragma once

/// \file
/// A list of tasks for workers that take one after another, and how long it keeps them.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/factor/graph.hpp"

namespace gpusupernodal {

/// Time to begin a task that another worker has released: about a microsecond, counted as flops.
inline constexpr double flops_of_a_start = 2500.0;

struct ListSchedule {
  std::vector<TaskId> order;  ///< Of the starts: a topological order.
  double flops = 0.0;         ///< From the first start to the last end, in the flops that one worker does in that time.
};

/// The order in which `workers` would begin the tasks of a graph if each took, whenever it is free, the ready one with the
/// longest path behind it (list scheduling: Graham, 1966). Workers that take tasks from its front seldom find one that is
/// not ready. A task lasts as long as its flops and flops_of_a_start. Cost O(tasks log + edges).
template <class TaskType>
ListSchedule list_schedule(const Graph<TaskType>& graph, int workers) {
  if (graph.tasks.size() == 1) return {{TaskId(0)}, graph.tasks[TaskId(0)].flops};  // As of small matrices.
  using Ready = std::pair<double, std::int32_t>;    // Path behind it, and the negated number: of equal ones the first.
  using Running = std::pair<double, std::int32_t>;  // Both negated: end, number.
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
