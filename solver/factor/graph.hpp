#pragma once

/// \file
/// A directed acyclic graph of tasks.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// Tasks in a topological order, with their successors and numbers of predecessors.
template <class TaskType>
struct Graph {
  IdVector<TaskId, TaskType> tasks;
  IdVector<TaskId, std::int32_t> waits_for;         ///< Number of predecessors.
  IdVector<TaskId, std::int64_t> successor_offset;  ///< tasks + 1
  std::vector<TaskId> successors;
  IdVector<TaskId, double> critical_flops;  ///< Flops of the longest path from the task to the end; its priority.
  double critical_path_flops = 0.0;

  std::span<const TaskId> successors_of(TaskId t) const {
    return {successors.data() + successor_offset[t],
            static_cast<std::size_t>(successor_offset[t + 1] - successor_offset[t])};
  }
};

/// Bytes of the elements of a graph's lists.
template <class TaskType>
std::int64_t bytes_in_graph(const Graph<TaskType>& g) {
  const auto bytes = [](const auto& list) { return static_cast<std::int64_t>(list.size() * sizeof(*list.data())); };
  return bytes(g.tasks) + bytes(g.waits_for) + bytes(g.successor_offset) + bytes(g.successors) + bytes(g.critical_flops);
}

}  // namespace gpusupernodal
