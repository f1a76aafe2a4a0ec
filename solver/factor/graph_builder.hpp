#pragma once

/// \file
/// Collects tasks and the tiles that they read and write, and derives the dependencies.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/factor/graph.hpp"

namespace gpusupernodal {

/// Tasks are added in a topological order. A task that writes a tile depends on the preceding writer of that tile.
/// Requirement: TaskType has a member `flops`.
template <class TaskType>
class GraphBuilder {
 public:
  explicit GraphBuilder(std::int64_t tiles) : writer_(static_cast<std::size_t>(tiles)) {}

  /// Adds a task without dependencies; after() adds these.
  TaskId add(const TaskType& task) {
    tasks_.push_back(task);
    return TaskId(static_cast<std::int64_t>(tasks_.size()) - 1);
  }
  /// Adds a task that writes `tile` and depends on the preceding writer.
  TaskId add_writer(const TaskType& task, std::int64_t tile) {
    const TaskId id = add(task);
    auto& writer = writer_[static_cast<std::size_t>(tile)];
    after(id, writer);
    writer = id;
    return id;
  }
  /// Makes `task` depend on `predecessor`; does nothing if `predecessor` is invalid.
  void after(TaskId task, TaskId predecessor) {
    if (predecessor.valid() && (edges_.empty() || edges_.back() != std::pair(predecessor, task))) {
      edges_.emplace_back(predecessor, task);
    }
  }
  /// Makes `task` depend on all `predecessors`, which may contain duplicates.
  void after_all(TaskId task, std::vector<TaskId> predecessors) {
    std::sort(predecessors.begin(), predecessors.end());
    predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
    for (const TaskId predecessor : predecessors) after(task, predecessor);
  }
  /// Declares that `task`, which was added before, also writes `tile`, without a dependency on the preceding writer.
  void set_writer(std::int64_t tile, TaskId task) { writer_[static_cast<std::size_t>(tile)] = task; }
  TaskId last_writer(std::int64_t tile) const { return writer_[static_cast<std::size_t>(tile)]; }

  /// Returns the graph with its critical paths and leaves the builder empty.
  Graph<TaskType> finish();

 private:
  IdVector<TaskId, TaskType> tasks_;
  std::vector<std::pair<TaskId, TaskId>> edges_;  ///< (predecessor, task), tasks ascending.
  std::vector<TaskId> writer_;
};

template <class TaskType>
Graph<TaskType> GraphBuilder<TaskType>::finish() {
  Graph<TaskType> graph;
  graph.tasks = std::move(tasks_);
  graph.waits_for.assign(graph.tasks.size(), 0);
  graph.successor_offset.assign(graph.tasks.size() + 1, 0);
  for (const auto& [predecessor, task] : edges_) {
    ++graph.waits_for[task];
    ++graph.successor_offset[predecessor + 1];
  }
  for (TaskId t : graph.tasks.ids()) graph.successor_offset[t + 1] += graph.successor_offset[t];
  graph.successors.resize(edges_.size());
  auto next = graph.successor_offset;
  for (const auto& [predecessor, task] : edges_) graph.successors[static_cast<std::size_t>(next[predecessor]++)] = task;

  graph.critical_flops.assign(graph.tasks.size(), 0.0);
  for (auto t = static_cast<std::int64_t>(graph.tasks.size()) - 1; t >= 0; --t) {
    const TaskId id(t);
    double longest = 0.0;
    for (TaskId successor : graph.successors_of(id)) longest = std::max(longest, graph.critical_flops[successor]);
    graph.critical_flops[id] = longest + graph.tasks[id].flops;
    graph.critical_path_flops = std::max(graph.critical_path_flops, graph.critical_flops[id]);
  }
  edges_.clear();
  writer_.clear();
  return graph;
}

}  // namespace gpusupernodal
