#include "solver/general/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal {
namespace {

using test::entries_of;
using test::for_each_entry;

/// Costs that are multiples of 1/4 below `limit`, so that all sums of them are exact.
RawVector<double> exact_costs(const ColumnEntries& a, std::uint64_t limit, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RawVector<double> costs(a.rows.size());
  for (double& cost : costs) cost = static_cast<double>(random() % limit) / 4;
  return costs;
}

/// Checks what Assignment promises. With exact costs this proves that no matching of the same rows and columns costs less.
void expect_certificate(const ColumnEntries& a, const RawVector<double>& costs, const Assignment& s) {
  std::vector<int> tight(static_cast<std::size_t>(a.n), 0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, std::size_t k) {
    const double reduced = costs[k] - s.row_potential[i] - s.column_potential[j];
    EXPECT_GE(reduced, 0.0) << "at " << i << ", " << j;
    if (s.row_of_column[j] != static_cast<std::int32_t>(i)) return;
    EXPECT_EQ(reduced, 0.0) << "at " << i << ", " << j;
    ++tight[j];
  });
  std::int32_t matched = 0;
  for (std::size_t j = 0; j < tight.size(); ++j) {
    EXPECT_EQ(tight[j], s.row_of_column[j] >= 0 ? 1 : 0) << "column " << j;
    matched += tight[j];
    if (s.row_of_column[j] >= 0) {
      EXPECT_EQ(s.column_of_row[static_cast<std::size_t>(s.row_of_column[j])], j);
    }
    if (s.column_of_row[j] >= 0) {
      EXPECT_EQ(s.row_of_column[static_cast<std::size_t>(s.column_of_row[j])], j);
    }
    EXPECT_TRUE(std::isfinite(s.row_potential[j]) && std::isfinite(s.column_potential[j]));
  }
  EXPECT_EQ(s.size, matched);
}

/// Size of the largest matching, by augmenting paths from each column.
std::int32_t largest_matching(const ColumnEntries& a, const RawVector<double>& costs) {
  std::vector<std::int64_t> column_of_row(static_cast<std::size_t>(a.n), -1);
  std::vector<std::int32_t> seen(static_cast<std::size_t>(a.n), -1);
  const std::function<bool(std::size_t, std::int32_t)> augment = [&](std::size_t j, std::int32_t root) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.rows[k]);
      if (costs[k] == no_entry || seen[i] == root) continue;
      seen[i] = root;
      if (column_of_row[i] >= 0 && !augment(static_cast<std::size_t>(column_of_row[i]), root)) continue;
      column_of_row[i] = static_cast<std::int64_t>(j);
      return true;
    }
    return false;
  };
  std::int32_t size = 0;
  for (std::int32_t j = 0; j < a.n; ++j) size += augment(static_cast<std::size_t>(j), j) ? 1 : 0;
  return size;
}

TEST(Assignment, PotentialsProveThatTheCostIsLeast) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed * seed % 499);
    const std::int64_t entries = n * static_cast<std::int64_t>(1 + seed % 7);
    const ColumnEntries a = entries_of(test::random_matched(n, entries, 1.0, seed));
    const RawVector<double> costs = exact_costs(a, seed % 3 == 0 ? 4 : 1000000, seed);
    const Assignment s = least_cost_assignment(a, costs);
    EXPECT_EQ(s.size, n);
    expect_certificate(a, costs, s);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Assignment, IsOfTheLargestSizeIfNoneIsComplete) {
  int incomplete = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed % 97);
    const ColumnEntries a = entries_of(test::random_general(n, n + n / 2, 1.0, seed));
    RawVector<double> costs = exact_costs(a, 1000, seed);
    for (std::size_t k = 0; k < costs.size(); k += 11) costs[k] = no_entry;
    const Assignment s = least_cost_assignment(a, costs);
    EXPECT_EQ(s.size, largest_matching(a, costs));
    expect_certificate(a, costs, s);
    incomplete += s.size < n ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(incomplete, 100);
}

/// From nearly every column the whole grid can be reached, but not a free row. The rows that searches leave aside must keep
/// potentials that suit the columns matched later.
TEST(Assignment, OfAGridWithManyEmptyRows) {
  const ColumnEntries a = entries_of(io::expanded(io::generate("lap3d:14")));
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RawVector<double> costs = exact_costs(a, 1000, seed);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      if (a.rows[k] % 40 == 7) costs[k] = no_entry;
    }
    const Assignment s = least_cost_assignment(a, costs);
    EXPECT_EQ(s.size, a.n - (a.n - 7 + 39) / 40);
    expect_certificate(a, costs, s);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// Columns 1, 2, … want the rows of their predecessors, so each search must move all earlier columns.
TEST(Assignment, LongAugmentingPaths) {
  constexpr std::int64_t n = 400;
  std::vector<test::Triplet> entries;
  for (std::int64_t j = 0; j < n; ++j) {
    entries.push_back({0, j, 1.0});
    if (j > 0) entries.push_back({j, j - 1, 1.0});
  }
  const ColumnEntries a = entries_of(test::general_matrix(n, entries));
  RawVector<double> costs(a.rows.size());
  for_each_entry(a, [&](std::size_t i, std::size_t, std::size_t k) { costs[k] = i == 0 ? 0.0 : 3.0; });
  const Assignment s = least_cost_assignment(a, costs);
  EXPECT_EQ(s.size, n);
  expect_certificate(a, costs, s);
  for (std::size_t j = 0; j + 1 < n; ++j) EXPECT_EQ(s.row_of_column[j], j + 1);
}

TEST(Assignment, KeepsTheDiagonalWhereItIsAsCheap) {
  const ColumnEntries a = entries_of(test::random_general(50, 2000, 0.0, 3));
  const RawVector<double> costs(a.rows.size(), 0.0);
  const Assignment s = least_cost_assignment(a, costs);
  EXPECT_EQ(s.size, 50);
  for_each_entry(a, [&](std::size_t i, std::size_t j, std::size_t) {
    if (i == j) {
      EXPECT_EQ(s.row_of_column[j], j);
    }
  });
}

TEST(Assignment, NoRowsAndNoEntries) {
  const Assignment none = least_cost_assignment(entries_of(test::general_matrix(0, {})), {});
  EXPECT_EQ(none.size, 0);
  const Assignment empty = least_cost_assignment(entries_of(test::general_matrix(3, {})), {});
  EXPECT_EQ(empty.size, 0);
  EXPECT_EQ(empty.row_of_column, (std::vector<std::int32_t>{-1, -1, -1}));
  EXPECT_EQ(empty.row_potential, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(empty.column_potential, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace gpusupernodal
