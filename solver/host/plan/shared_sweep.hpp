#pragma once

/// \file
/// Decides whether a sweep over a task graph is worth several workers.

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/host/plan/order_of_starts.hpp"

namespace gpusupernodal {

/// Start order of a sweep's tasks for several workers, and an estimate of the time they save. Cost: list_schedule.
template <class TaskType>
class SharedSweep {
 public:
  /// `workers`: available workers. Task flops are those of one right-hand side.
  SharedSweep(const Graph<TaskType>& graph, int workers) {
    if (workers == 1) return;
    for (const TaskType& task : graph.tasks) alone_ += task.flops;
    ListSchedule schedule = list_schedule(graph, workers);
    order_ = std::move(schedule.order);
    together_ = std::max(graph.critical_path_flops, alone_ / workers);
    starts_ = schedule.flops - together_;
  }

  const std::vector<TaskId>& order() const { return order_; }  ///< Empty for one worker.

  /// Whether all workers together take less than nine tenths of one worker's time for `columns` right-hand sides.
  /// Arithmetic grows with the columns; the time to start tasks does not.
  bool pays(double columns) const { return together_ * columns + starts_ < 0.9 * alone_ * columns; }

 private:
  std::vector<TaskId> order_;
  double alone_ = 0.0;     ///< Flops per column, all by one worker.
  double together_ = 0.0;  ///< Lower bound of the parallel time without starts, in flops per column.
  double starts_ = 0.0;    ///< Additional time in the list schedule, in flops.
};

}  // namespace gpusupernodal
