/// Patterns of rows and the choice of pivots of LU on dense storage.

#include "solver/host/run/dense_rows.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "solver/host/run/dense_panel.hpp"
#include "solver/host/run/host_allocator.hpp"

namespace gpusupernodal::test {
namespace {

using PlainPattern = std::vector<std::vector<bool>>;

std::int32_t count_from(const std::vector<bool>& row, std::int32_t column) {
  std::int32_t count = 0;
  for (auto j = static_cast<std::size_t>(column); j < row.size(); ++j) count += row[j] ? 1 : 0;
  return count;
}

/// Compares the counts with those of plain elimination of patterns, with random pivot rows.
TEST(RowPatterns, CountTheEntriesThatEliminationLeaves) {
  for (const std::int32_t n : {1, 2, 63, 64, 65, 130}) {
    for (const double density : {0.02, 0.2, 0.9, 1.0}) {
      std::mt19937_64 random(static_cast<std::uint64_t>(n));
      std::uniform_real_distribution<double> chance(0.0, 1.0);
      RowPatterns patterns(default_host_allocator(), DenseWorkspace(DenseStructure(n), 1));
      patterns.reset(false);
      PlainPattern bits(static_cast<std::size_t>(n), std::vector<bool>(static_cast<std::size_t>(n), false));
      for (std::int32_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j < n; ++j) {
          if (!(chance(random) < density)) continue;
          bits[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = true;
          patterns.add(i, j);
        }
      }
      std::vector<std::int32_t> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      for (std::int32_t k = 0; k < n; ++k) {
        bool full = true;
        for (auto i = static_cast<std::size_t>(k); i < order.size(); ++i) {
          const std::int32_t count = count_from(bits[static_cast<std::size_t>(order[i])], k);
          full = full && count == n - k;
          if (!patterns.full()) {
            ASSERT_EQ(patterns.count(order[i]), count) << n << ", column " << k;
          }
        }
        ASSERT_EQ(patterns.full(), full) << n << ", column " << k;
        const auto at = static_cast<std::size_t>(k);
        std::swap(order[at], order[at + random() % static_cast<std::size_t>(n - k)]);
        for (std::size_t i = at + 1; i < order.size(); ++i) {
          std::vector<bool>& row = bits[static_cast<std::size_t>(order[i])];
          const std::vector<bool>& pivot = bits[static_cast<std::size_t>(order[at])];
          for (std::size_t j = at + 1; row[at] && j < row.size(); ++j) row[j] = row[j] || pivot[j];
        }
        patterns.eliminate(k, order.data());
      }
    }
  }
}

/// Factorizes a 4×4 matrix by rows with this threshold; returns the order of rows.
std::vector<std::int32_t> order_with(double threshold, const std::vector<double>& by_rows, bool* took_smaller) {
  const DenseStructure dense(4);
  RowPatterns patterns(default_host_allocator(), DenseWorkspace(dense, 1));
  patterns.reset(false);
  std::vector<double> values(static_cast<std::size_t>(dense.values()), 0.0), largest(4);
  for (std::int32_t i = 0; i < 4; ++i) {
    for (std::int32_t j = 0; j < 4; ++j) {
      const double value = by_rows[static_cast<std::size_t>(4 * i + j)];
      values[static_cast<std::size_t>(dense.index(i, j))] = value;
      if (value != 0.0) patterns.add(i, j);
    }
  }
  std::vector<std::int32_t> order(4), exchange(4);
  std::iota(order.begin(), order.end(), 0);
  PivotMonitor monitor(1);
  monitor.reset();
  DensePanels<double> panels(dense, values.data(), order.data(), exchange.data(), largest.data(), patterns,
                             {threshold, 1e-300}, monitor);
  panels.factorize(0, 4);
  *took_smaller = panels.took_smaller_pivots();
  return order;
}

/// The pivot is in the row with the fewest nonzeros that the threshold admits; ties go to the largest entry.
TEST(DensePivots, AreInTheSparsestRowThatTheThresholdAdmits) {
  const std::vector<double> a = {1.0,  1.0, 1.0, 1.0,  //
                                 0.5,  0.0, 0.0, 3.0,  //
                                 0.2,  0.0, 4.0, 0.0,  //
                                 0.05, 2.0, 0.0, 0.0};
  bool smaller = false;
  EXPECT_EQ(order_with(0.1, a, &smaller)[0], 1) << "rows 1 and 2 are as sparse, row 3 has too small an entry";
  EXPECT_TRUE(smaller);
  EXPECT_EQ(order_with(1e-8, a, &smaller)[0], 1);
  EXPECT_EQ(order_with(0.6, a, &smaller)[0], 0) << "only the largest entry is admitted";
  EXPECT_EQ(order_with(1.0, a, &smaller)[0], 0);
  EXPECT_FALSE(smaller);
}

}  // namespace
}  // namespace gpusupernodal::test
