#pragma once

/// \file
/// Runs one direction of a solve on workers: on all of them where that pays, else on one.

#include "solver/host/plan/shared_sweep.hpp"
#include "solver/host/plan/solve_schedule.hpp"
#include "solver/host/run/ordered_runner.hpp"

namespace gpusupernodal {

/// Runs the tasks of one graph; the constructor allocates, runs do not.
class SweepRunner {
 public:
  /// `graph` must outlive this; `workers` is the most that will run it.
  SweepRunner(const Graph<SolveTask>& graph, int workers)
      : graph_(graph), sweep_(graph, workers), runner_(sweep_.order().size()) {}

  /// Whether several workers run it faster than one, with that many right-hand sides.
  bool pays(double columns) const { return sweep_.pays(columns); }

  /// Call it before workers begin. `columns` is the number of right-hand sides.
  void start(double columns) {
    shared_ = pays(columns);
    if (shared_) {
      runner_.start(graph_.waits_for);
    } else {
      runner_.start_alone();
    }
  }

  /// Called by each worker; returns when all tasks are done. Calls run(task, worker).
  template <class Run>
  void work(int worker, const Run& run) {
    if (shared_) {
      runner_.work(graph_, sweep_.order(), worker, run);
    } else {
      runner_.work_alone(graph_, worker, run);
    }
  }

  /// Rethrows the first exception of a task. Call it after all workers have returned.
  void rethrow() const { runner_.rethrow(); }

 private:
  const Graph<SolveTask>& graph_;
  SharedSweep<SolveTask> sweep_;
  OrderedRunner runner_;
  bool shared_ = false;
};

}  // namespace gpusupernodal
