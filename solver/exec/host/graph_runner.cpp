#include "solver/exec/host/graph_runner.hpp"

#include <algorithm>

namespace gpusupernodal {

void GraphRunner::push(const TaskGraph& graph, TaskId task) {
  ready_.push_back(task);
  std::push_heap(ready_.begin(), ready_.end(),
                 [&](TaskId a, TaskId b) { return graph.critical_flops[a] < graph.critical_flops[b]; });
}

TaskId GraphRunner::pop(const TaskGraph& graph) {
  std::pop_heap(ready_.begin(), ready_.end(),
                [&](TaskId a, TaskId b) { return graph.critical_flops[a] < graph.critical_flops[b]; });
  const TaskId task = ready_.back();
  ready_.pop_back();
  return task;
}

TaskId GraphRunner::next_task(const TaskGraph& graph) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || unfinished_ == 0 || error_; });
  return ready_.empty() || error_ ? TaskId() : pop(graph);
}

/// Returns a task for the same worker, or none when the heap should decide.
TaskId GraphRunner::finish_task(const TaskGraph& graph, TaskId done) {
  TaskId own;
  std::size_t released = 0;
  const std::lock_guard lock(mutex_);
  for (TaskId successor : graph.successors_of(done)) {
    if (--pending_[static_cast<std::size_t>(successor.value)] != 0) continue;
    if (!own.valid()) {
      own = successor;
      continue;
    }
    if (graph.critical_flops[successor] > graph.critical_flops[own]) std::swap(own, successor);
    push(graph, successor);
    ++released;
  }
  if (error_) own = TaskId();
  --unfinished_;
  if (unfinished_ == 0) {
    changed_.notify_all();
  } else {
    for (std::size_t i = 0; i < released; ++i) changed_.notify_one();
  }
  return own;
}

}  // namespace gpusupernodal
