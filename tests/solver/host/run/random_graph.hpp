#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal::test {

/// Random graph: task t waits for about `degree` earlier tasks, for some of them twice. row_begin is the number of a task.
inline TaskGraph random_graph(std::int32_t count, std::int32_t degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<TaskId>> successors(static_cast<std::size_t>(count));
  TaskGraph graph;
  for (std::int32_t t = 0; t < count; ++t) {
    Task task;
    task.row_begin = t;
    graph.tasks.push_back(task);
    graph.critical_flops.push_back(static_cast<double>(random() % 100));
    std::int32_t waits = 0;
    for (std::int32_t d = 0; d < degree && t > 0; ++d) {
      if (random() % 3 == 0) continue;
      successors[random() % static_cast<std::uint64_t>(t)].push_back(TaskId(t));
      ++waits;
    }
    graph.waits_for.push_back(waits);
  }
  graph.successor_offset.push_back(0);
  for (const auto& list : successors) {
    graph.successors.insert(graph.successors.end(), list.begin(), list.end());
    graph.successor_offset.push_back(static_cast<std::int64_t>(graph.successors.size()));
  }
  return graph;
}

}  // namespace gpusupernodal::test
