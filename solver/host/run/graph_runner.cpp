#include "solver/host/run/graph_runner.hpp"

#include <algorithm>

namespace gpusupernodal {

void GraphRunner::push(TaskId task) {
  ready_.push_back(task);
  std::push_heap(ready_.begin(), ready_.end(), [this](TaskId a, TaskId b) { return less_urgent(a, b); });
}

TaskId GraphRunner::pop() {
  std::pop_heap(ready_.begin(), ready_.end(), [this](TaskId a, TaskId b) { return less_urgent(a, b); });
  const TaskId task = ready_.back();
  ready_.pop_back();
  return task;
}

TaskId GraphRunner::next_task() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || unfinished_ == 0 || error_; });
  return ready_.empty() || error_ ? TaskId() : pop();
}

/// Returns a task for the same worker, or none when the heap should decide.
TaskId GraphRunner::finish_task(std::span<const TaskId> successors) {
  TaskId own;
  std::size_t released = 0;
  const std::lock_guard lock(mutex_);
  for (TaskId successor : successors) {
    if (--pending_[static_cast<std::size_t>(successor.value)] != 0) continue;
    if (!own.valid()) {
      own = successor;
      continue;
    }
    if (less_urgent(own, successor)) std::swap(own, successor);
    push(successor);
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
