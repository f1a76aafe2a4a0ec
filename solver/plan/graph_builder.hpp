#pragma once

/// \file
/// Collects tasks with what they read and write; the dependencies follow.

#include <cstdint>
#include <utility>
#include <vector>

#include "solver/plan/schedule.hpp"

namespace gpusupernodal {

/// Tasks are added in a topological order. A task that writes a tile waits for the tile's writer before it.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::int64_t tiles) : writer_(static_cast<std::size_t>(tiles)) {}

  /// Adds a task; further edges with after().
  TaskId add(const Task& task) {
    tasks_.push_back(task);
    return TaskId(static_cast<std::int64_t>(tasks_.size()) - 1);
  }
  /// Adds a task that writes `tile`, after the writer before it.
  TaskId add_writer(const Task& task, std::int64_t tile) {
    const TaskId id = add(task);
    auto& writer = writer_[static_cast<std::size_t>(tile)];
    after(id, writer);
    writer = id;
    return id;
  }
  /// `task` waits for `predecessor`, if that is a task.
  void after(TaskId task, TaskId predecessor) {
    if (predecessor.valid() && (edges_.empty() || edges_.back() != std::pair(predecessor, task))) {
      edges_.emplace_back(predecessor, task);
    }
  }
  /// Declares `task`, added before, the last writer of a further tile.
  void set_writer(std::int64_t tile, TaskId task) { writer_[static_cast<std::size_t>(tile)] = task; }
  TaskId last_writer(std::int64_t tile) const { return writer_[static_cast<std::size_t>(tile)]; }

  /// The graph, with critical paths. The builder is empty afterwards.
  TaskGraph finish();

 private:
  IdVector<TaskId, Task> tasks_;
  std::vector<std::pair<TaskId, TaskId>> edges_;  ///< (predecessor, task), tasks ascending.
  std::vector<TaskId> writer_;
};

}  // namespace gpusupernodal
