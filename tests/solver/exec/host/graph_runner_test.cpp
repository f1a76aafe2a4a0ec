#include "solver/exec/host/graph_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <vector>

#include "solver/plan/schedule.hpp"

namespace gpusupernodal::test {
namespace {

/// A random graph: task t waits for about `degree` earlier ones, some of them twice. A task knows its number by its
/// row_begin.
TaskGraph random_graph(std::int32_t count, std::int32_t degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<TaskId>> successors(static_cast<std::size_t>(count));
  TaskGraph graph;
  for (std::int32_t t = 0; t < count; ++t) {
    Task task;
    task.row_begin = t;
    graph.tasks.push_back(task);
    graph.critical_flops.push_back(static_cast<double>(random() % 100));
    std::int32_t waits = 0;
    for (std::int32_t d = 0; d < degree && t > 0; ++d) {
      if (random() % 3 == 0) continue;
      successors[random() % static_cast<std::uint64_t>(t)].push_back(TaskId(t));
      ++waits;
    }
    graph.waits_for.push_back(waits);
  }
  graph.successor_offset.push_back(0);
  for (const auto& list : successors) {
    graph.successors.insert(graph.successors.end(), list.begin(), list.end());
    graph.successor_offset.push_back(static_cast<std::int64_t>(graph.successors.size()));
  }
  return graph;
}

/// Runs a graph and checks on the way that every predecessor has finished, and that workers are who they say.
void expect_run(GraphRunner& runner, const TaskGraph& graph, int workers) {
  std::vector<std::atomic<int>> finished_before(graph.tasks.size());
  std::vector<std::atomic<int>> times(graph.tasks.size());
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(workers));
  std::atomic<int> wrong{0};
  runner.run(graph, workers, [&](const Task& task, int worker) {
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
  double last = 1000.0;
  runner.run(graph, 1, [&](const Task& task, int) {
    const double urgency = graph.critical_flops[TaskId(task.row_begin)];
    EXPECT_LE(urgency, last);
    last = urgency;
  });
}

TEST(GraphRunner, StopsAtAnExceptionAndCanBeUsedAgain) {
  GraphRunner runner(500);
  const TaskGraph graph = random_graph(500, 2, 9);
  for (const int workers : {1, 2, 4}) {
    for (const std::int32_t bad : {0, 17, 250, 499}) {
      std::atomic<int> ran{0};
      try {
        runner.run(graph, workers, [&](const Task& task, int) {
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
    EXPECT_THROW(runner.run(graph, workers, [](const Task&, int) { throw 1; }), int);
    expect_run(runner, graph, workers);
  }
}

TEST(Workers, EachIsCalledOnce) {
  for (const int count : {1, 2, 5, 32}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    run_workers(count, [&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
    for (const auto& times : calls) EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(worker_count(3), 3);
  EXPECT_GE(worker_count(0), 1);
}

}  // namespace
}  // namespace gpusupernodal::test
