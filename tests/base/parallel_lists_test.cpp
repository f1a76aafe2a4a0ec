#include "base/parallel_lists.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace gpusupernodal::test {
namespace {

const std::vector<int> thread_counts{1, 2, 3, 8};
/// Counts below and above the size at which the work is split into runs.
const std::vector<std::int64_t> counts{0, 1, 8191, 8192, 16'384, 100'003};

template <class Check>
void on_all_teams(const Check& check) {
  for (const int threads : thread_counts) {
    ThreadTeam team(threads);
    for (const std::int64_t count : counts) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << count << " numbers");
      team.execute([&] { check(team, count); });
    }
  }
}

TEST(ParallelLists, SumsDoNotDependOnTheThreads) {
  on_all_teams([](ThreadTeam& team, std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) numbers[static_cast<std::size_t>(k)] = k * k % 17 - 3;
    std::vector<std::int64_t> sums(numbers.size());
    std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
    add_up(numbers.data(), count, team);
    EXPECT_EQ(numbers, sums);
  });
}

TEST(ParallelLists, FilteringPreservesTheOrder) {
  on_all_teams([](ThreadTeam& team, std::int64_t count) {
    const auto keep = [](std::int64_t k) { return k % 7 == 2 || k % 11 == 0; };
    std::vector<std::int64_t> expected;
    for (std::int64_t k = 0; k < count; ++k) {
      if (keep(k)) expected.push_back(3 * k);
    }
    const auto list = list_where<std::int64_t>(count, team, keep, [](std::int64_t k) { return 3 * k; });
    EXPECT_EQ(std::vector<std::int64_t>(list.begin(), list.end()), expected);
    const auto even = filtered(list, team, [](std::int64_t item) { return item % 2 == 0; });
    std::erase_if(expected, [](std::int64_t item) { return item % 2 != 0; });
    EXPECT_EQ(std::vector<std::int64_t>(even.begin(), even.end()), expected);
  });
}

}  // namespace
}  // namespace gpusupernodal::test
