#include "base/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gpusupernodal::test {
namespace {

const std::vector<int> team_sizes{1, 2, 3, 8};

TEST(ThreadTeam, IntervalsCoverEveryNumberOnce) {
  for (int threads : team_sizes) {
    ThreadTeam team(threads);
    for (std::int64_t count : {0, 1, 99, 100, 101, 12'345}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      team.execute([&] {
        team.for_intervals(count, 100, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) ++visits[static_cast<std::size_t>(k)];
        });
      });
      EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads << " threads";
    }
  }
}

/// Counts the leaves of a binary tree of tasks that fork tasks.
void fork(ThreadTeam& team, int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  TaskGroup group(team);
  group.run([&] { fork(team, depth - 1, leaves); });
  fork(team, depth - 1, leaves);
  group.wait();
}

TEST(ThreadTeam, TasksMayForkTasksAndLoops) {
  for (int threads : team_sizes) {
    ThreadTeam team(threads);
    std::atomic<int> leaves{0};
    team.execute([&] { team.execute([&] { fork(team, 8, leaves); }); });
    EXPECT_EQ(leaves, 256);
    team.execute([&] {
      team.for_intervals(20, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) fork(team, 3, leaves);
      });
    });
    EXPECT_EQ(leaves, 256 + 160);
  }
}

TEST(ThreadTeam, IsolatedWorkRunsNoOtherTasks) {
  for (int threads : team_sizes) {
    ThreadTeam team(threads);
    static thread_local bool inside = false;
    std::atomic<int> others{0}, own{0}, taken{0};
    team.execute([&] {
      TaskGroup before(team);
      if (threads > 1) {
        for (int k = 0; k < 100; ++k) {
          before.run([&] {
            if (inside) ++taken;
            std::this_thread::sleep_for(std::chrono::microseconds(300));
            ++others;
          });
        }
      }
      ThreadTeam::isolate([&] {
        TaskGroup group(team);
        for (int k = 0; k < 20; ++k) {
          group.run([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            ++own;
          });
        }
        inside = true;
        group.wait();
        inside = false;
        EXPECT_EQ(own, 20);
      });
      before.wait();
    });
    EXPECT_EQ(taken, 0) << threads << " threads";
    EXPECT_EQ(others, threads > 1 ? 100 : 0);
    EXPECT_THROW(ThreadTeam::isolate([] { throw std::runtime_error("out"); }), std::runtime_error);
  }
}

TEST(ThreadTeam, RethrowsExceptions) {
  for (int threads : team_sizes) {
    ThreadTeam team(threads);
    const auto throw_at = [&](std::int64_t bad) {
      team.execute([&] {
        team.for_intervals(1000, 10, [&](std::int64_t begin, std::int64_t end) {
          if (begin <= bad && bad < end) throw std::runtime_error("seen");
        });
      });
    };
    EXPECT_THROW(throw_at(0), std::runtime_error);
    EXPECT_THROW(throw_at(999), std::runtime_error);
    const auto throw_in_task = [&] {
      team.execute([&] {
        TaskGroup group(team);
        group.run([] { throw std::runtime_error("seen"); });
        group.wait();
      });
    };
    EXPECT_THROW(throw_in_task(), std::runtime_error);
    const auto throw_beside_task = [&] {
      std::atomic<bool> done{false};
      team.execute([&] {
        TaskGroup group(team);
        group.run([&] { done = true; });
        throw std::logic_error("seen");
      });
    };
    EXPECT_THROW(throw_beside_task(), std::logic_error);
    EXPECT_NO_THROW(throw_at(1000)) << "the team works on";
  }
}

/// An exception cancels concurrent tasks that have not started. Started tasks run to completion: neither their loops
/// nor their own tasks may return with part of the work undone.
TEST(ThreadTeam, CancelledTasksRunCompletelyOrNotAtAll) {
  for (int threads : team_sizes) {
    ThreadTeam team(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> begun{false};
      std::atomic<int> visited{0};
      std::atomic<int> tasks{0};
      std::atomic<bool> ended{false};
      const auto give_up = [&] {
        team.execute([&] {
          TaskGroup group(team);
          group.run([&] {
            begun = true;
            team.for_intervals(48, 1, [&](std::int64_t begin, std::int64_t end) {
              visited += static_cast<int>(end - begin);
              std::this_thread::sleep_for(std::chrono::microseconds(20));
            });
            TaskGroup inner(team);
            for (int t = 0; t < 4; ++t) inner.run([&] { ++tasks; });
            inner.wait();
            ended = true;
          });
          for (int i = 0; !begun && i < 100; ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
          throw std::runtime_error("given up");
        });
      };
      EXPECT_THROW(give_up(), std::runtime_error);
      EXPECT_EQ(visited, begun ? 48 : 0);
      EXPECT_EQ(tasks, begun ? 4 : 0);
      EXPECT_EQ(ended, begun);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
