#include "solver/general/symmetrized_pattern.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal {
namespace {

using test::entries_of;
using Rows = std::vector<std::int32_t>;

Rows identity(std::int64_t n) {
  Rows rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The lower triangle of B + Bᵀ with the diagonal as pairs (column, row), by its definition.
std::set<std::pair<std::int64_t, std::int64_t>> by_definition(const io::GeneralMatrix& a, const Rows& row_of_column) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t j = 0; j < a.n; ++j) places.emplace(j, j);
  for (const test::Triplet& t : test::triplets(a)) {
    for (std::int64_t row = 0; row < a.n; ++row) {
      if (row_of_column[static_cast<std::size_t>(row)] != t.row) continue;
      places.emplace(std::min(row, t.column), std::max(row, t.column));
    }
  }
  return places;
}

void expect_pattern(const io::GeneralMatrix& a, const Rows& row_of_column) {
  const SymmetrizedPattern pattern = symmetrized_pattern(entries_of(a), row_of_column);
  validate_pattern(pattern.view());
  EXPECT_EQ(pattern.view().n, a.n);
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto k = static_cast<std::size_t>(pattern.offsets[j]); k < static_cast<std::size_t>(pattern.offsets[j + 1]); ++k) {
      places.emplace_back(j, pattern.rows[k]);
    }
  }
  // A set is sorted, so this also says that rows ascend, are distinct and begin with the diagonal.
  const auto expected = by_definition(a, row_of_column);
  EXPECT_EQ(places, std::vector(expected.begin(), expected.end()));
}

TEST(SymmetrizedPattern, IsThatOfItsDefinition) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed);
    const io::GeneralMatrix a = test::random_general(n, n * static_cast<std::int64_t>(seed % 6), 1.0, seed);
    expect_pattern(a, identity(n));
    expect_pattern(a, test::random_permutation(n, seed));
  }
}

TEST(SymmetrizedPattern, OfNothingAndOfNoEntries) {
  expect_pattern(test::general_matrix(0, {}), {});
  expect_pattern(test::general_matrix(3, {}), {2, 0, 1});
}

TEST(SymmetrizedPattern, OfARotationIsTheDiagonal) {
  // Entry (i + 1, i): row 1, 2, 3, 0 become rows 0, 1, 2, 3.
  const io::GeneralMatrix a = test::general_matrix(4, {{1, 0, 1.0}, {2, 1, 1.0}, {3, 2, 1.0}, {0, 3, 1.0}});
  const SymmetrizedPattern pattern = symmetrized_pattern(entries_of(a), {1, 2, 3, 0});
  EXPECT_EQ(pattern.offsets, (RawVector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(pattern.rows, (RawVector<std::int32_t>{0, 1, 2, 3}));
}

TEST(SymmetrizedPattern, OfASymmetricMatrixIsItsLowerTriangle) {
  const io::SymmetricMatrix lower = io::generate("lap27:4");
  const SymmetrizedPattern pattern = symmetrized_pattern(entries_of(io::expanded(lower)), identity(lower.n));
  EXPECT_TRUE(std::equal(pattern.offsets.begin(), pattern.offsets.end(), lower.offsets.begin(), lower.offsets.end()));
  EXPECT_TRUE(std::equal(pattern.rows.begin(), pattern.rows.end(), lower.indices.begin(), lower.indices.end()));
}

}  // namespace
}  // namespace gpusupernodal
