#include "solver/host/run/graph_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "solver/factor/schedule.hpp"
#include "tests/solver/host/run/random_graph.hpp"

namespace gpusupernodal::test {
namespace {

/// Runs a graph and checks that tasks run once, after all predecessors, and that no worker runs two tasks concurrently.
void expect_run(GraphRunner& runner, const TaskGraph& graph, int workers) {
  WorkerTeam team(workers);
  std::vector<std::atomic<int>> finished_before(graph.tasks.size());
  std::vector<std::atomic<int>> times(graph.tasks.size());
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(workers));
  std::atomic<int> wrong{0};
  runner.run(graph, team, workers, [&](const Task& task, int worker) {
    const auto t = static_cast<std::size_t>(task.row_begin);
    if (worker < 0 || worker >= workers) {
      ++wrong;
      return;
    }
    if (busy[static_cast<std::size_t>(worker)]++ != 0) ++wrong;
    if (finished_before[t] != graph.waits_for[TaskId(task.row_begin)]) ++wrong;
    ++times[t];
    for (TaskId successor : graph.successors_of(TaskId(task.row_begin))) {
      ++finished_before[static_cast<std::size_t>(successor.value)];
    }
    --busy[static_cast<std::size_t>(worker)];
  });
  EXPECT_EQ(wrong, 0);
  for (const auto& count : times) ASSERT_EQ(count, 1);
}

TEST(GraphRunner, RunsEveryTaskOnceAfterWhatItWaitsFor) {
  GraphRunner runner(3000);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const std::int32_t count : {0, 1, 2, 50, 3000}) {
      const TaskGraph graph = random_graph(count, static_cast<std::int32_t>(seed % 5), seed);
      for (const int workers : {1, 2, 3, 16}) expect_run(runner, graph, workers);
    }
  }
}

TEST(GraphRunner, RunsChainsAndFans) {
  GraphRunner runner(1000);
  TaskGraph chain;
  TaskGraph fan;
  chain.successor_offset.push_back(0);
  fan.successor_offset.push_back(0);
  for (std::int32_t t = 0; t < 1000; ++t) {
    Task task;
    task.row_begin = t;
    for (TaskGraph* graph : {&chain, &fan}) {
      graph->tasks.push_back(task);
      graph->waits_for.push_back(t > 0 ? 1 : 0);
      graph->critical_flops.push_back(1000.0 - t);
    }
    if (t + 1 < 1000) chain.successors.push_back(TaskId(t + 1));
    for (std::int32_t s = 1; t == 0 && s < 1000; ++s) fan.successors.push_back(TaskId(s));
    chain.successor_offset.push_back(static_cast<std::int64_t>(chain.successors.size()));
    fan.successor_offset.push_back(static_cast<std::int64_t>(fan.successors.size()));
  }
  for (const int workers : {1, 2, 8}) {
    expect_run(runner, chain, workers);
    expect_run(runner, fan, workers);
  }
}

TEST(GraphRunner, OneWorkerTakesTheLongestPathFirst) {
  TaskGraph graph;
  graph.successor_offset.push_back(0);
  for (std::int32_t t = 0; t < 100; ++t) {
    Task task;
    task.row_begin = t;
    graph.tasks.push_back(task);
    graph.waits_for.push_back(0);
    graph.critical_flops.push_back((t * 37) % 101);
    graph.successor_offset.push_back(0);
  }
  GraphRunner runner(100);
  WorkerTeam team(1);
  double last = 1000.0;
  runner.run(graph, team, 1, [&](const Task& task, int) {
    const double urgency = graph.critical_flops[TaskId(task.row_begin)];
    EXPECT_LE(urgency, last);
    last = urgency;
  });
}

TEST(GraphRunner, StopsAtAnExceptionAndCanBeUsedAgain) {
  GraphRunner runner(500);
  const TaskGraph graph = random_graph(500, 2, 9);
  for (const int workers : {1, 2, 4}) {
    WorkerTeam team(workers);
    for (const std::int32_t bad : {0, 17, 250, 499}) {
      std::atomic<int> ran{0};
      try {
        runner.run(graph, team, workers, [&](const Task& task, int) {
          ++ran;
          if (task.row_begin == bad) throw std::runtime_error("task " + std::to_string(bad));
        });
        FAIL() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "task " + std::to_string(bad));
      }
      EXPECT_LE(ran, 500);
      expect_run(runner, graph, workers);
    }
    EXPECT_THROW(runner.run(graph, team, workers, [](const Task&, int) { throw 1; }), int);
    expect_run(runner, graph, workers);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
