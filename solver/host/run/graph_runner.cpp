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

/// Sleeping and being woken takes longer than most tasks of small factors.
void GraphRunner::look_out() const {
  constexpr int pauses = 512;
  for (int i = 0; i < pauses && !something_.load(std::memory_order_relaxed); ++i) pause_processor();
}

TaskId GraphRunner::next_task() {
  look_out();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || unfinished_ == 0 || error_; });
  const TaskId task = ready_.empty() || error_ ? TaskId() : pop();
  show();
  return task;
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
  show();
  if (unfinished_ == 0) {
    changed_.notify_all();
  } else {
    for (std::size_t i = 0; i < released; ++i) changed_.notify_one();
  }
  return own;
}

}  // namespace gpusupernodal
