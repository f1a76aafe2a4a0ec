#include "solver/general/block_triangular.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::vector<std::int32_t> in_place(std::int32_t n) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Whether column `to` can be reached from `from`, by entries of B.
std::vector<bool> reached(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column, std::int32_t from) {
  std::vector<std::int32_t> column_of_row(row_of_column.size());
  for (std::size_t j = 0; j < row_of_column.size(); ++j)
    column_of_row[static_cast<std::size_t>(row_of_column[j])] = static_cast<std::int32_t>(j);
  std::vector<bool> seen(row_of_column.size(), false);
  std::vector<std::int32_t> stack{from};
  seen[static_cast<std::size_t>(from)] = true;
  while (!stack.empty()) {
    const auto j = static_cast<std::size_t>(stack.back());
    stack.pop_back();
    for (std::int64_t e = a.offsets[j]; e < a.offsets[j + 1]; ++e) {
      const auto to = static_cast<std::size_t>(column_of_row[static_cast<std::size_t>(a.rows[static_cast<std::size_t>(e)])]);
      if (!seen[to]) stack.push_back(static_cast<std::int32_t>(to));
      seen[to] = true;
    }
  }
  return seen;
}

/// Two columns are in one block if and only if each leads to the other; entries between blocks lie above the diagonal.
TEST(BlockTriangularForm, BlocksAreTheStrongComponentsInOrder) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto n = static_cast<std::int32_t>(1 + seed % 25);
    const io::GeneralMatrix matrix = random_matched(n, n, 3.0, seed);
    const ColumnEntries a = entries_of(matrix);
    const std::vector<std::int32_t> rows = random_permutation(n, seed + 1);
    const BlockTriangularForm form = block_triangular_form(a, rows);
    std::vector<std::vector<bool>> reach;
    for (std::int32_t j = 0; j < n; ++j) reach.push_back(reached(a, rows, j));
    for (std::size_t i = 0; i < reach.size(); ++i) {
      for (std::size_t j = 0; j < reach.size(); ++j) {
        EXPECT_EQ(form.block[i] == form.block[j], reach[i][j] && reach[j][i]) << seed;
        if (reach[j][i]) {
          EXPECT_LE(form.block[i], form.block[j]) << seed;
        }
      }
    }
    EXPECT_EQ(form.blocks, *std::max_element(form.block.begin(), form.block.end()) + 1);
  }
}

TEST(BlockTriangularForm, ATriangleHasABlockForEachColumnAndACycleOne) {
  std::vector<Triplet> triangle, cycle;
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = i; j < 9; ++j) triangle.push_back({i, j, 1.0});
    cycle.push_back({i, (i + 1) % 9, 1.0});
  }
  const BlockTriangularForm of_triangle = block_triangular_form(entries_of(general_matrix(9, triangle)), in_place(9));
  EXPECT_EQ(of_triangle.blocks, 9);
  EXPECT_EQ(of_triangle.block, in_place(9));
  EXPECT_EQ(block_triangular_form(entries_of(general_matrix(9, cycle)), in_place(9)).blocks, 1);
  EXPECT_EQ(block_triangular_form(entries_of(general_matrix(0, {})), {}).blocks, 0);
}

}  // namespace
}  // namespace gpusupernodal::test
