#include "solver/host/run/sweep_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include "solver/factor/graph_builder.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal::test {
namespace {

/// `paths` paths of `length` tasks each; row_begin is the number of a task.
Graph<SolveTask> paths_of(std::int32_t paths, std::int32_t length, double flops) {
  GraphBuilder<SolveTask> builder(0);
  for (std::int32_t p = 0; p < paths; ++p) {
    TaskId before;
    for (std::int32_t i = 0; i < length; ++i) {
      SolveTask task;
      task.flops = flops;
      task.row_begin = p * length + i;
      const TaskId id = builder.add(task);
      builder.after(id, before);
      before = id;
    }
  }
  return builder.finish();
}

TEST(SharedSweep, IsWorthwhileForIndependentWork) {
  EXPECT_TRUE(SharedSweep<SolveTask>(paths_of(64, 1, 1e6), 2).pays(1));
  EXPECT_TRUE(SharedSweep<SolveTask>(paths_of(2, 10, 1e5), 2).pays(1));
  EXPECT_FALSE(SharedSweep<SolveTask>(paths_of(64, 1, 1e6), 1).pays(1)) << "there is no second worker";
}

TEST(SharedSweep, IsNotWorthwhileForAChain) {
  for (const int workers : {2, 16}) {
    const SharedSweep<SolveTask> sweep(paths_of(1, 1000, 1e5), workers);
    for (const double columns : {1.0, 1e3, 1e6}) EXPECT_FALSE(sweep.pays(columns));
  }
}

/// A task takes a twenty-fifth of the time to start it: sharing does not pay with one column, but with a thousand.
TEST(SharedSweep, IsWorthwhileForSmallTasksWithManyColumns) {
  const SharedSweep<SolveTask> sweep(paths_of(500, 4, flops_of_a_start / 25), 2);
  EXPECT_FALSE(sweep.pays(1));
  EXPECT_TRUE(sweep.pays(1000));
}

TEST(SharedSweep, IsNotWorthwhileWithoutTasks) { EXPECT_FALSE(SharedSweep<SolveTask>(paths_of(0, 0, 1.0), 4).pays(1)); }

/// A long chain needs no hand-over: one worker runs all of it in order, and the others wait for the end.
TEST(SweepRunner, GivesAChainToOneWorker) {
  const Graph<SolveTask> graph = paths_of(1, 5000, 10.0);
  WorkerTeam team(4);
  SweepRunner runner(graph, 4);
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<std::int32_t> ran;  // Not atomic, so the thread sanitizer can detect races.
    std::set<int> workers;
    std::atomic<int> ended_early{0};
    runner.start(1.0);
    team.run(4, [&](int self) {
      runner.work(self, [&](const SolveTask& task, int worker) {
        ran.push_back(task.row_begin);
        workers.insert(worker);
      });
      if (ran.size() != 5000) ++ended_early;
    });
    EXPECT_EQ(workers.size(), 1U);
    EXPECT_EQ(ended_early, 0);
    for (std::size_t i = 0; i < ran.size(); ++i) ASSERT_EQ(ran[i], static_cast<std::int32_t>(i));
  }
}

TEST(SweepRunner, RunsEveryTaskOnceOnAnyNumberOfWorkers) {
  for (const double flops : {10.0, 1e6}) {
    const Graph<SolveTask> graph = paths_of(20, 30, flops);
    for (const int count : {1, 2, 5}) {
      WorkerTeam team(count);
      SweepRunner runner(graph, count);
      for (const double columns : {1.0, 1e5}) {
        std::vector<std::atomic<int>> times(graph.tasks.size());
        runner.start(columns);
        team.run(count, [&](int self) {
          runner.work(self, [&](const SolveTask& task, int) { ++times[static_cast<std::size_t>(task.row_begin)]; });
        });
        runner.rethrow();
        for (const auto& of_task : times) ASSERT_EQ(of_task, 1);
      }
    }
  }
}

TEST(SweepRunner, ThrowsWhatATaskOfAChainThrowsAndCanBeUsedAgain) {
  const Graph<SolveTask> graph = paths_of(1, 100, 10.0);
  WorkerTeam team(3);
  SweepRunner runner(graph, 3);
  for (const bool throws : {true, false, true}) {
    int ran = 0;
    runner.start(1.0);
    team.run(3, [&](int self) {
      runner.work(self, [&](const SolveTask& task, int) {
        ++ran;
        if (throws && task.row_begin == 20) throw std::runtime_error("task 20");
      });
    });
    EXPECT_EQ(ran, throws ? 21 : 100);
    if (throws) {
      EXPECT_THROW(runner.rethrow(), std::runtime_error);
    } else {
      EXPECT_NO_THROW(runner.rethrow());
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
