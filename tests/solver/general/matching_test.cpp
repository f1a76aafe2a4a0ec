#include "solver/general/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tests/solver/general/entries.hpp"
#include "tests/support/data.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal {
namespace {

using test::entries_of;
using test::for_each_entry;
using test::general_matrix;
using test::magnitudes_of;
using test::random_matched;
using Rows = std::vector<std::int32_t>;

/// Logarithms are rounded to multiples of 2⁻³².
constexpr double rounding = 0x1p-30;

Matching match(const io::GeneralMatrix& a) {
  const ColumnEntries entries = entries_of(a);
  return maximum_product_matching(entries, magnitudes_of(entries, a.values).data());
}

bool is_permutation(const Rows& rows) {
  Rows sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] != static_cast<std::int32_t>(k)) return false;
  }
  return true;
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::isfinite(x) && x > 0.0 && std::frexp(x, &exponent) == 0.5;
}

/// log2 |row · value · column| without overflow.
double scaled_logarithm(const Matching& m, std::size_t i, std::size_t j, double value) {
  return std::log2(m.row_scale[i]) + std::log2(std::abs(value)) + std::log2(m.column_scale[j]);
}

/// Checks that the scales prove the product to be within 2²ⁿ of the largest one, and each bound that Matching promises.
void expect_scaled(const io::GeneralMatrix& a, const Matching& m) {
  EXPECT_TRUE(is_permutation(m.row_of_column));
  EXPECT_TRUE(std::all_of(m.row_scale.begin(), m.row_scale.end(), is_power_of_two));
  EXPECT_TRUE(std::all_of(m.column_scale.begin(), m.column_scale.end(), is_power_of_two));
  std::int32_t nonzeros_on_diagonal = 0;
  for_each_entry(entries_of(a), [&](std::size_t i, std::size_t j, std::size_t k) {
    if (a.values[k] == 0.0) return;
    const double logarithm = scaled_logarithm(m, i, j, a.values[k]);
    EXPECT_LE(logarithm, 1.0 + rounding) << "at " << i << ", " << j;
    if (m.row_of_column[j] != static_cast<std::int32_t>(i)) return;
    EXPECT_GE(logarithm, -1.0 - rounding) << "at " << i << ", " << j;
    ++nonzeros_on_diagonal;
  });
  EXPECT_EQ(nonzeros_on_diagonal, m.structural_rank);
}

/// The matrix as a dense array of log2 |value|; −∞ without an entry.
std::vector<std::vector<double>> dense_logarithms(const io::GeneralMatrix& a) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<std::vector<double>> dense(n, std::vector<double>(n, -std::numeric_limits<double>::infinity()));
  for (const test::Triplet& t : test::triplets(a)) {
    dense[static_cast<std::size_t>(t.row)][static_cast<std::size_t>(t.column)] = std::log2(std::abs(t.value));
  }
  return dense;
}

struct Best {
  std::int32_t rank = -1;
  double logarithm = 0.0;  ///< Logarithm of the product of the nonzeros on the diagonal.
};

Best value_of(const std::vector<std::vector<double>>& dense, const Rows& rows) {
  Best value{0, 0.0};
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const double logarithm = dense[static_cast<std::size_t>(rows[j])][j];
    if (!std::isfinite(logarithm)) continue;
    ++value.rank;
    value.logarithm += logarithm;
  }
  return value;
}

/// The largest rank and, among permutations with it, the largest product.
Best best_of_all(const std::vector<std::vector<double>>& dense) {
  Rows rows(dense.size());
  std::iota(rows.begin(), rows.end(), 0);
  Best best;
  do {
    const Best value = value_of(dense, rows);
    if (value.rank > best.rank || (value.rank == best.rank && value.logarithm > best.logarithm)) best = value;
  } while (std::next_permutation(rows.begin(), rows.end()));
  return best;
}

TEST(Matching, HasTheLargestProductOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed % 7);
    const io::GeneralMatrix a = random_matched(n, static_cast<std::int64_t>(seed / 7 % 40), seed % 2 == 0 ? 3 : 900, seed);
    const Matching m = match(a);
    const auto dense = dense_logarithms(a);
    const Best best = best_of_all(dense);
    EXPECT_EQ(m.structural_rank, n);
    EXPECT_NEAR(value_of(dense, m.row_of_column).logarithm, best.logarithm, static_cast<double>(n) * rounding);
    if (seed % 2 == 0) expect_scaled(a, m);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Matching, HasTheLargestRankOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed % 7);
    const io::GeneralMatrix a = test::random_general(n, n, 5, seed);
    const Matching m = match(a);
    EXPECT_EQ(m.structural_rank, best_of_all(dense_logarithms(a)).rank);
    expect_scaled(a, m);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Matching, ScalesOfLargeMatricesAreWithinTheirBounds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<std::int64_t>(100 + 400 * seed / 60);
    const io::GeneralMatrix a = random_matched(n, n * static_cast<std::int64_t>(seed % 8), seed % 2 == 0 ? 10 : 100, seed);
    const Matching m = match(a);
    EXPECT_EQ(m.structural_rank, n);
    expect_scaled(a, m);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// If A = R·P·B·C with B's diagonal 1 and everything else below 1, the matching is P, and it undoes R and C on the diagonal.
TEST(Matching, FindsAHiddenDominantDiagonal) {
  constexpr std::int64_t n = 200;
  std::mt19937_64 random(7);
  const Rows hidden = test::random_permutation(n, 5);
  std::vector<int> row_exponent(n);
  std::vector<int> column_exponent(n);
  for (int& e : row_exponent) e = static_cast<int>(random() % 101) - 50;
  for (int& e : column_exponent) e = static_cast<int>(random() % 101) - 50;
  std::vector<test::Triplet> entries;
  for (const test::Triplet& t : test::triplets(test::random_general(n, 1500, 0.0, 11))) {
    if (t.row != t.column) entries.push_back({t.row, t.column, t.value * 0.25});
  }
  for (std::int64_t j = 0; j < n; ++j) entries.push_back({j, j, -1.0});
  for (test::Triplet& t : entries) {
    t.value = std::ldexp(
        t.value, row_exponent[static_cast<std::size_t>(t.row)] + column_exponent[static_cast<std::size_t>(t.column)]);
    t.row = hidden[static_cast<std::size_t>(t.row)];
  }
  const io::GeneralMatrix a = general_matrix(n, entries);
  const Matching m = match(a);
  EXPECT_EQ(m.row_of_column, hidden);
  for_each_entry(entries_of(a), [&](std::size_t i, std::size_t j, std::size_t k) {
    const double scaled = m.row_scale[i] * std::abs(a.values[k]) * m.column_scale[j];
    // All magnitudes are powers of two, so nothing is rounded.
    if (m.row_of_column[j] == static_cast<std::int32_t>(i)) {
      EXPECT_EQ(scaled, 1.0);
    } else {
      EXPECT_LE(scaled, 1.0);
    }
  });
}

TEST(Matching, ProductsOfRowsAndColumnsPermutedOrTransposedAreEqual) {
  const auto logarithm = [](const io::GeneralMatrix& a) { return value_of(dense_logarithms(a), match(a).row_of_column); };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const io::GeneralMatrix a = random_matched(80, 400, 20, seed);
    const Rows new_row = test::random_permutation(80, seed + 1);
    std::vector<test::Triplet> entries = test::triplets(a);
    for (test::Triplet& t : entries) t.row = new_row[static_cast<std::size_t>(t.row)];
    const double product = logarithm(a).logarithm;
    EXPECT_NEAR(logarithm(general_matrix(80, entries)).logarithm, product, 80 * rounding);
    EXPECT_NEAR(logarithm(test::transposed(a)).logarithm, product, 80 * rounding);
  }
}

TEST(Matching, OfAnAntidiagonal) {
  const Matching m = match(general_matrix(3, {{0, 2, 8.0}, {1, 1, -0.5}, {2, 0, 2.0}}));
  EXPECT_EQ(m.row_of_column, (Rows{2, 1, 0}));
  EXPECT_EQ(m.structural_rank, 3);
  EXPECT_EQ(m.row_scale[0] * m.column_scale[2], 0.125);
  EXPECT_EQ(m.row_scale[1] * m.column_scale[1], 2.0);
  EXPECT_EQ(m.row_scale[2] * m.column_scale[0], 0.5);
}

TEST(Matching, PrefersALargeEntryToTheDiagonal) {
  EXPECT_EQ(match(general_matrix(2, {{0, 0, 1e-16}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}})).row_of_column, (Rows{1, 0}));
  EXPECT_EQ(match(general_matrix(2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 5}})).row_of_column, (Rows{0, 1}));
}

TEST(Matching, ZerosAndNaNAreNoEntries) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matching m = match(general_matrix(2, {{0, 0, 0.0}, {0, 1, 1e-200}, {1, 0, 1e-200}, {1, 1, nan}}));
  EXPECT_EQ(m.row_of_column, (Rows{1, 0}));
  EXPECT_EQ(m.structural_rank, 2);
  const Matching zero = match(general_matrix(2, {{0, 0, 0.0}, {1, 1, nan}, {1, 0, 0.0}}));
  EXPECT_EQ(zero.row_of_column, (Rows{0, 1}));
  EXPECT_EQ(zero.structural_rank, 0);
  EXPECT_EQ(zero.row_scale, (std::vector<double>{1, 1}));
  EXPECT_EQ(zero.column_scale, (std::vector<double>{1, 1}));
}

TEST(Matching, EmptyRowsAndColumnsHaveTheScaleOne) {
  const Matching m = match(general_matrix(3, {{0, 0, 0x1p-80}, {0, 1, 0x1p-80}, {2, 1, 0x1p-80}, {1, 0, 0.0}}));
  EXPECT_EQ(m.structural_rank, 2);
  EXPECT_EQ(m.row_scale[1], 1.0);
  EXPECT_EQ(m.column_scale[2], 1.0);
  EXPECT_EQ(m.row_scale[0] * m.column_scale[0], 0x1p80);
  EXPECT_EQ(m.row_scale[2] * m.column_scale[1], 0x1p80);
}

/// Scales are as small as they can be, also where two blocks need opposite ones.
TEST(Matching, ScalesFitIntoFloatsWhereTheyCan) {
  for (const auto& [first, second] : {std::pair{0x1p-140, 0x1p-140}, std::pair{0x1p-140, 0x1p110}}) {
    const Matching m =
        match(general_matrix(3, {{0, 0, first}, {0, 1, first}, {1, 0, first / 4}, {1, 1, -first}, {2, 2, second}}));
    EXPECT_EQ(m.row_scale[2] * m.column_scale[2], 1 / second);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(std::max(m.row_scale[i], m.column_scale[i]), 0x1p80);
      EXPECT_GE(std::min(m.row_scale[i], m.column_scale[i]), 0x1p-80);
    }
  }
}

TEST(Matching, InfinityCountsAsTheLargestNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matching m = match(general_matrix(2, {{0, 0, 1.0}, {0, 1, infinity}, {1, 0, 4.0}, {1, 1, -infinity}}));
  EXPECT_EQ(m.row_of_column, (Rows{1, 0}));
  EXPECT_EQ(std::log2(m.row_scale[0]) + std::log2(m.column_scale[1]), -1024.0);
  EXPECT_EQ(m.row_scale[1] * m.column_scale[0], 0.25);
}

/// Columns 1 and 2 are free, and so are rows 2 and 3: row 2 stays, row 3 fills column 1.
TEST(Matching, FreeRowsStayOnTheDiagonalWhereTheyCan) {
  const Matching m = match(general_matrix(4, {{0, 0, 1.0}, {1, 3, 1.0}, {0, 3, 0.5}}));
  EXPECT_EQ(m.structural_rank, 2);
  EXPECT_EQ(m.row_of_column, (Rows{0, 3, 2, 1}));
}

TEST(Matching, NothingOverflowsAtTheEndsOfTheRange) {
  const std::vector<double> magnitudes{1e-300, 1e300, 1.0, std::numeric_limits<double>::denorm_min(), 1e-310, 1.7e308};
  for (const double x : magnitudes) {
    expect_scaled(general_matrix(1, {{0, 0, x}}), match(general_matrix(1, {{0, 0, x}})));
  }
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<test::Triplet> entries;
    for (const test::Triplet& t : test::triplets(random_matched(6, 14, 0.0, random()))) {
      entries.push_back({t.row, t.column, t.value * magnitudes[random() % magnitudes.size()]});
    }
    const io::GeneralMatrix a = general_matrix(6, entries);
    const Matching m = match(a);
    const auto dense = dense_logarithms(a);
    EXPECT_NEAR(value_of(dense, m.row_of_column).logarithm, best_of_all(dense).logarithm, 6 * rounding);
    EXPECT_TRUE(std::all_of(m.row_scale.begin(), m.row_scale.end(), is_power_of_two));
    EXPECT_TRUE(std::all_of(m.column_scale.begin(), m.column_scale.end(), is_power_of_two));
  }
}

/// A = D T D⁻¹ with T full of ones on three diagonals and D = 2^(900 i): its scales span 2^18000 and must be cut off.
TEST(Matching, ScalesBeyondTheRangeOfDoublesAreCutOff) {
  std::vector<test::Triplet> entries;
  for (std::int64_t i = 0; i < 20; ++i) {
    entries.push_back({i, i, 1.0});
    if (i > 0) entries.push_back({i, i - 1, 0x1p900});
    if (i > 0) entries.push_back({i - 1, i, 0x1p-900});
  }
  const Matching m = match(general_matrix(20, entries));
  EXPECT_EQ(m.structural_rank, 20);
  EXPECT_TRUE(std::all_of(m.row_scale.begin(), m.row_scale.end(), is_power_of_two));
  EXPECT_TRUE(std::all_of(m.column_scale.begin(), m.column_scale.end(), is_power_of_two));
}

TEST(Matching, IsTheSameEachTime) {
  const io::GeneralMatrix a = test::random_general(300, 2000, 1.0, 4);
  const Matching first = match(a);
  const Matching second = match(a);
  EXPECT_EQ(first.row_of_column, second.row_of_column);
  EXPECT_EQ(first.row_scale, second.row_scale);
  EXPECT_EQ(first.column_scale, second.column_scale);
}

TEST(Matching, OfNothing) {
  const Matching m = match(general_matrix(0, {}));
  EXPECT_TRUE(m.row_of_column.empty());
  EXPECT_EQ(m.structural_rank, 0);
}

TEST(Matching, OfACircuitMovesTheZerosOffTheDiagonal) {
  for (const char* spec : {"circuit:1", "circuit:2", "circuit:7", "circuit:20"}) {
    const io::GeneralMatrix a = io::generate_general(spec);
    const Matching m = match(a);
    EXPECT_EQ(m.structural_rank, a.n) << spec;
    expect_scaled(a, m);
  }
}

/// Large matrices from the folder that GPUSUPERNODAL_TEST_DATA names.
TEST(Matching, OfFurtherMatrices) {
  for (const std::string& path : test::further_matrices()) {
    const io::GeneralMatrix a = io::read_general_matrix_market(path);
    const Matching m = match(a);
    EXPECT_EQ(m.structural_rank, a.n) << path;
    expect_scaled(a, m);
  }
}

}  // namespace
}  // namespace gpusupernodal
