#include "solver/host/run/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "solver/factor/graph_builder.hpp"
#include "solver/factor/schedule.hpp"
#include "solver/host/plan/order_of_starts.hpp"
#include "solver/host/run/ordered_runner.hpp"
#include "tests/solver/host/run/random_graph.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

TEST(WorkerTeam, CallsEachWorkerOnce) {
  for (const int count : {1, 2, 5, 32}) {
    WorkerTeam team(count);
    EXPECT_EQ(team.count(), count);
    for (int round = 0; round < 50; ++round) {
      const int workers = 1 + round % count;
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(workers));
      team.run(workers, [&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
      for (const auto& times : calls) EXPECT_EQ(times, 1);
    }
  }
  allow_threads(4);
  EXPECT_EQ(worker_count(3), 3);
  EXPECT_GE(worker_count(0), 1);
}

TEST(WorkerTeam, WritesOfWorkersAreVisibleAfterRun) {
  WorkerTeam team(4);
  std::vector<std::int64_t> sums(4);  // Not atomic, so the thread sanitizer can detect races.
  for (std::int64_t round = 1; round <= 300; ++round) {
    SharedLoop loop;
    loop.reset(64);
    std::vector<std::int64_t> done(64);
    team.run(4, [&](int worker) {
      loop.work([&](std::int64_t i) {
        done[static_cast<std::size_t>(i)] = round;
        sums[static_cast<std::size_t>(worker)] += 1;
      });
    });
    for (const std::int64_t value : done) ASSERT_EQ(value, round);
    std::int64_t all = 0;
    for (const std::int64_t value : sums) all += value;
    ASSERT_EQ(all, 64 * round);
  }
}

TEST(WorkerTeam, SeveralCallersMayRunTeamsConcurrently) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([&] {
      WorkerTeam team(3);
      for (int round = 0; round < 100; ++round) {
        SharedLoop loop;
        loop.reset(50);
        std::atomic<int> visits{0};
        team.run(3, [&](int) { loop.work([&](std::int64_t) { ++visits; }); });
        if (visits != 50) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(OrderOfStarts, IsATopologicalOrderOfAllTasks) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const std::int32_t count : {0, 1, 2, 60, 900}) {
      const TaskGraph graph = random_graph(count, static_cast<std::int32_t>(seed % 5), seed);
      for (const int workers : {1, 2, 16}) {
        const auto order = list_schedule(graph, workers).order;
        ASSERT_EQ(order.size(), graph.tasks.size());
        auto pending = graph.waits_for;
        for (const TaskId task : order) {
          ASSERT_EQ(pending[task], 0);
          pending[task] = -1;
          for (const TaskId successor : graph.successors_of(task)) --pending[successor];
        }
      }
    }
  }
}

/// Two chains, one of them longer, and an independent task: two workers begin with the chains, the longer one first.
TEST(OrderOfStarts, PutsLongestPathsFirst) {
  GraphBuilder<Task> builder(1);
  const auto add = [&](double flops, TaskId after) {
    Task task;
    task.flops = flops;
    const TaskId id = builder.add(task);
    builder.after(id, after);
    return id;
  };
  const TaskId alone = add(1e6, TaskId());
  const TaskId a = add(4e6, TaskId());
  const TaskId b = add(4e6, TaskId());
  const TaskId after_a = add(4e6, a);
  const TaskId after_b = add(2e6, b);
  const TaskGraph graph = builder.finish();
  EXPECT_EQ(list_schedule(graph, 2).order, (std::vector<TaskId>{a, b, after_a, after_b, alone}));
}

TEST(OrderedRunner, RunsEveryTaskOnceAfterWhatItWaitsFor) {
  OrderedRunner runner(900);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const TaskGraph graph = random_graph(seed == 0 ? 0 : 900, static_cast<std::int32_t>(seed % 5), seed);
    for (const int workers : {1, 2, 5}) {
      WorkerTeam team(workers);
      const auto order = list_schedule(graph, workers).order;
      std::vector<std::atomic<int>> finished_before(graph.tasks.size());
      std::vector<int> times(graph.tasks.size());
      std::atomic<int> wrong{0};
      runner.start(graph.waits_for);
      team.run(workers, [&](int self) {
        runner.work(graph, order, self, [&](const Task& task, int worker) {
          const auto t = static_cast<std::size_t>(task.row_begin);
          if (worker != self || finished_before[t] != graph.waits_for[TaskId(task.row_begin)]) ++wrong;
          ++times[t];
          for (const TaskId s : graph.successors_of(TaskId(task.row_begin)))
            ++finished_before[static_cast<std::size_t>(s.value)];
        });
      });
      runner.rethrow();
      EXPECT_EQ(wrong, 0);
      for (const int count : times) ASSERT_EQ(count, 1);
    }
  }
}

TEST(OrderedRunner, EndsWhenATaskThrowsAndCanBeUsedAgain) {
  OrderedRunner runner(200);
  const TaskGraph graph = random_graph(200, 2, 3);
  WorkerTeam team(3);
  const auto order = list_schedule(graph, 3).order;
  for (const bool throws : {true, false, true}) {
    std::atomic<int> ran{0};
    runner.start(graph.waits_for);
    team.run(3, [&](int self) {
      runner.work(graph, order, self, [&](const Task& task, int) {
        ++ran;
        if (throws && task.row_begin == 20) throw std::runtime_error("task 20");
      });
    });
    if (throws) {
      EXPECT_THROW(runner.rethrow(), std::runtime_error);
    } else {
      EXPECT_NO_THROW(runner.rethrow());
      EXPECT_EQ(ran, 200);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
