#include "base/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
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

/// Leaves of a binary tree of tasks that fork tasks.
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

TEST(ThreadTeam, WhatIsThrownComesOut) {
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

}  // namespace
}  // namespace gpusupernodal::test
