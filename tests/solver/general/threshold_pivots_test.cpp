#include "solver/general/threshold_pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <stdexcept>

#include "tests/support/general_entries.hpp"

namespace gpusupernodal::test {
namespace {

/// A matrix with the order and scales of a search; the rows are preferred in place unless a test changes them.
struct Searched {
  StoredGeneral<double> stored;
  ColumnEntries entries;
  std::vector<std::int32_t> order, preferred, row_exponent, column_exponent;

  explicit Searched(const GeneralEntries& a) : stored(store_general<double>(a)) {
    const MatrixView<double> view = stored.view();
    entries = column_entries({view.n, view.offsets, view.indices, view.part, view.compression});
    order.resize(static_cast<std::size_t>(a.n));
    std::iota(order.begin(), order.end(), 0);
    preferred = order;
    row_exponent.assign(order.size(), 0);
    column_exponent = row_exponent;
  }

  PivotSearch search(double threshold) const { return {order, preferred, row_exponent, column_exponent, threshold}; }
};

/// The largest magnitude of a multiplier when A, with its rows and columns in this order, is eliminated without exchanges.
double largest_multiplier(const GeneralEntries& a, const std::vector<std::int32_t>& row_of_column,
                          const std::vector<std::int32_t>& order) {
  const std::size_t n = order.size();
  std::vector<std::vector<double>> dense(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto found = a.entries.find({row_of_column[static_cast<std::size_t>(order[i])], order[j]});
      if (found != a.entries.end()) dense[i][j] = found->second;
    }
  }
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      if (dense[i][k] == 0.0) continue;
      const double factor = dense[i][k] / dense[k][k];
      if (!(std::abs(factor) <= largest)) largest = std::abs(factor);
      for (std::size_t j = k; j < n; ++j) dense[i][j] -= factor * dense[k][j];
    }
  }
  return largest;
}

bool is_permutation(std::vector<std::int32_t> rows) {
  std::sort(rows.begin(), rows.end());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] != static_cast<std::int32_t>(k)) return false;
  }
  return true;
}

TEST(ThresholdPivots, BoundsTheMultipliers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    GeneralEntries a = random_entries(1 + static_cast<std::int64_t>(seed % 40), 1 + static_cast<int>(seed % 4), 1e-3, seed);
    Searched problem(a);
    std::mt19937_64 random(seed);
    std::shuffle(problem.order.begin(), problem.order.end(), random);
    for (const double threshold : {0.1, 0.5, 1.0}) {
      const ThresholdPivots pivots =
          threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(threshold));
      ASSERT_TRUE(is_permutation(pivots.row_of_column));
      ASSERT_EQ(pivots.without_pivot, 0);
      constexpr double rounding = 1e-6;  // Difference to the dense elimination, which has another order of operations.
      EXPECT_LE(largest_multiplier(a, pivots.row_of_column, problem.order), (1.0 + rounding) / threshold) << seed;
    }
  }
}

TEST(ThresholdPivots, KeepsPreferredRowsThatAreLargeEnough) {
  GeneralEntries a = random_entries(60, 3, 4.0, 3);
  const Searched problem(a);
  const ThresholdPivots kept = threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.1));
  EXPECT_EQ(kept.exchanged, 0);
  EXPECT_EQ(kept.row_of_column, problem.preferred);
  a(7, 7) = 0.0;
  a(7, 8) = a(8, 7) = 1.0;
  const Searched weak(a);
  EXPECT_GT(threshold_pivots(weak.entries, weak.stored.values.data(), weak.search(0.1)).exchanged, 0);
}

/// With the row scaled by 2¹⁰ its entry is the larger one.
TEST(ThresholdPivots, ComparesScaledEntries) {
  GeneralEntries a{2, {}};
  a(0, 0) = 0.01;
  a(1, 0) = 1.0;
  a(0, 1) = 1.0;
  a(1, 1) = 3.0;
  Searched problem(a);
  EXPECT_EQ(threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.5)).exchanged, 2);
  problem.row_exponent[0] = 10;
  EXPECT_EQ(threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.5)).exchanged, 0);
}

TEST(ThresholdPivots, IsAbandonedBeyondItsLimit) {
  const Searched problem(random_entries(80, 3, 4.0, 1));
  WorkLimit limit;
  limit.max_flops = 100.0;
  const auto search = [&] {
    return threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.1), limit);
  };
  EXPECT_TRUE(search().abandoned);
  EXPECT_TRUE(search().row_of_column.empty());
  limit.max_flops = 1e9;
  EXPECT_FALSE(search().abandoned);
  EXPECT_EQ(search().row_of_column, problem.preferred);
}

TEST(ThresholdPivots, EndsWhenItsCheckThrows) {
  GeneralEntries a{25000, {}};
  for (std::int64_t i = 0; i < a.n; ++i) a(i, i) = 1.0;
  const Searched problem(a);
  int checks = 0;
  double last = 0.0;
  const WorkLimit limit{1e9, [&](double fraction) {
                          EXPECT_GT(fraction, last);
                          EXPECT_LE(fraction, 1.0);
                          last = fraction;
                          if (++checks == 2) throw std::runtime_error("enough");
                        }};
  EXPECT_THROW(threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.1), limit),
               std::runtime_error);
  EXPECT_EQ(checks, 2);
}

TEST(ThresholdPivots, GivesFreeRowsToColumnsOfZeros) {
  GeneralEntries a{3, {}};
  a(1, 0) = 2.0;
  a(1, 1) = 1.0;  // A multiple of column 0.
  const Searched problem(a);
  const ThresholdPivots pivots = threshold_pivots(problem.entries, problem.stored.values.data(), problem.search(0.1));
  EXPECT_EQ(pivots.without_pivot, 2);
  EXPECT_EQ(pivots.row_of_column, (std::vector<std::int32_t>{1, 0, 2}));
}

TEST(ThresholdPivots, TakesMagnitudesOfComplexEntries) {
  GeneralEntries a{2, {}};
  a(0, 0) = a(1, 0) = a(0, 1) = a(1, 1) = 1.0;
  const Searched problem(a);
  const std::vector<std::complex<double>> values = {{0.3, 0.0}, {0.0, -2.0}, {1.0, 0.0}, {0.0, 1.0}};  // By columns.
  const ThresholdPivots pivots = threshold_pivots(problem.entries, values.data(), problem.search(0.5));
  EXPECT_EQ(pivots.row_of_column, (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace gpusupernodal::test
