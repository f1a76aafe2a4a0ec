#include "solver/general/lu_pattern.hpp"

#include <gtest/gtest.h>

#include "solver/general/limited_lu_pattern.hpp"
#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal::test {
namespace {

using Dense = std::vector<std::vector<bool>>;

/// Fills the diagonal blocks by elimination; entries above them stay.
Dense eliminated(Dense b, const std::vector<std::int32_t>& block_ends) {
  std::size_t begin = 0;
  for (const std::int32_t end : block_ends) {
    for (std::size_t k = begin; k < static_cast<std::size_t>(end); ++k) {
      b[k][k] = true;
      for (std::size_t i = k + 1; i < static_cast<std::size_t>(end); ++i) {
        if (!b[i][k]) continue;
        for (std::size_t j = k + 1; j < static_cast<std::size_t>(end); ++j) b[i][j] = b[i][j] || b[k][j];
      }
    }
    begin = static_cast<std::size_t>(end);
  }
  return b;
}

Dense dense_of(const LuPattern& pattern) {
  const std::size_t n = pattern.offsets.size() - 1;
  Dense dense(n, std::vector<bool>(n, false));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::int64_t e = pattern.offsets[j]; e < pattern.offsets[j + 1]; ++e) {
      const auto i = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]);
      EXPECT_FALSE(dense[i][j]);
      dense[i][j] = true;
      if (e > pattern.offsets[j]) {
        EXPECT_LT(pattern.rows[static_cast<std::size_t>(e) - 1], static_cast<std::int32_t>(i));
      }
    }
  }
  return dense;
}

/// The pattern holds what elimination fills, for any order of rows and columns, and no more.
TEST(LuPattern, IsThatOfElimination) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto n = static_cast<std::int32_t>(1 + seed % 40);
    const ColumnEntries a = entries_of(random_general(n, 3 * n, 2.0, seed));
    const std::vector<std::int32_t> rows = random_permutation(n, seed + 1), columns = random_permutation(n, seed + 2);
    Dense b(static_cast<std::size_t>(n), std::vector<bool>(static_cast<std::size_t>(n), false));
    std::vector<std::size_t> step_of_row(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) step_of_row[static_cast<std::size_t>(rows[k])] = k;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(columns[k]);
      for (std::int64_t e = a.offsets[j]; e < a.offsets[j + 1]; ++e)
        b[step_of_row[static_cast<std::size_t>(a.rows[static_cast<std::size_t>(e)])]][k] = true;
    }
    const std::vector<std::int32_t> one_block{n};
    EXPECT_EQ(dense_of(lu_pattern(a, {columns, rows, one_block})), eliminated(b, one_block)) << seed;
  }
}

/// A dense matrix of order 6 takes 125 operations: in each step, a division for each of b rows, and b² updates.
TEST(LuPattern, IsAbandonedBeyondItsLimit) {
  std::vector<Triplet> entries;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) entries.push_back({i, j, 1.0});
  }
  const ColumnEntries a = entries_of(general_matrix(6, entries));
  const std::vector<std::int32_t> order{0, 1, 2, 3, 4, 5}, ends{6};
  WorkLimit limit;
  limit.max_flops = 124.0;
  EXPECT_FALSE(limited_lu_pattern(a, {order, order, ends}, limit).has_value());
  limit.max_flops = 125.0;
  const std::optional<LuPattern> found = limited_lu_pattern(a, {order, order, ends}, limit);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rows.size(), 36U);
}

/// Entries above the diagonal blocks cause no fill.
TEST(LuPattern, LeavesWhatIsAboveTheBlocks) {
  std::vector<Triplet> entries;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      if (i / 3 == j / 3 && (i == j || i % 3 == 0 || j % 3 == 0)) entries.push_back({i, j, 1.0});
    }
  }
  entries.push_back({0, 4, 1.0});
  const ColumnEntries a = entries_of(general_matrix(6, entries));
  const std::vector<std::int32_t> order{0, 1, 2, 3, 4, 5}, ends{3, 6};
  const Dense found = dense_of(lu_pattern(a, {order, order, ends}));
  EXPECT_TRUE(found[0][4]);
  EXPECT_FALSE(found[1][4]);
  EXPECT_TRUE(found[1][2] && found[2][1] && found[4][5]);
}

}  // namespace
}  // namespace gpusupernodal::test
