#pragma once

/// \file
/// Whether a sweep over a task graph is worth several workers.

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/host/plan/order_of_starts.hpp"

namespace gpusupernodal {

/// The order of a sweep's tasks for several workers, and an estimate of what these save. Cost: list_schedule.
template <class TaskType>
class SharedSweep {
 public:
  /// `workers` are those that there are. Task flops are those of one right-hand side.
  SharedSweep(const Graph<TaskType>& graph, int workers) {
    if (workers == 1) return;
    for (const TaskType& task : graph.tasks) alone_ += task.flops;
    ListSchedule schedule = list_schedule(graph, workers);
    order_ = std::move(schedule.order);
    together_ = std::max(graph.critical_path_flops, alone_ / workers);
    starts_ = schedule.flops - together_;
  }

  const std::vector<TaskId>& order() const { return order_; }  ///< Empty for one worker.

  /// Whether all workers together need at most nine tenths of the time that one needs for `columns` right-hand sides. The
  /// arithmetic grows with the columns, what it takes to begin tasks does not.
  bool pays(double columns) const { return together_ * columns + starts_ < 0.9 * alone_ * columns; }

 private:
  std::vector<TaskId> order_;
  double alone_ = 0.0;     ///< Flops of a column by one worker.
  double together_ = 0.0;  ///< The time that workers without a start to wait for would need at least, in flops.
  double starts_ = 0.0;    ///< What list scheduling takes beyond that.
};

}  // namespace gpusupernodal
