#include "solver/factor/column_structure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/column_problem.hpp"

namespace gpusupernodal::test {
namespace {

/// Merged CSR-CSC: the columns list the entries of the rows outside the tail, and their positions are those of the rows.
TEST(ColumnStructure, ColumnsPointIntoTheValuesOfTheRows) {
  for (const ColumnProblem& problem : column_problems()) {
    const ColumnStructure s = problem.structure();
    ASSERT_EQ(s.rows.size(), s.columns.size());
    std::set<std::int64_t> positions;
    for (std::int32_t j = 0; j < s.n; ++j) {
      const auto c = static_cast<std::size_t>(j);
      for (std::int64_t e = s.column_offset[c]; e < s.column_offset[c + 1]; ++e) {
        const std::int64_t position = s.position[static_cast<std::size_t>(e)];
        const std::int32_t row = s.rows[static_cast<std::size_t>(e)];
        EXPECT_EQ(s.columns[static_cast<std::size_t>(position)], j);
        EXPECT_EQ(s.find(row, j), position);
        EXPECT_TRUE(positions.insert(position).second);
        const bool above = e - s.column_offset[c] < s.before[c] + s.above[c];
        EXPECT_EQ(above, row < j);
      }
    }
    for (std::int32_t k = 0; k < s.n; ++k) EXPECT_EQ(s.find(k, k), s.diagonal(k));
  }
}

/// Every entry of the pattern has one position; with a tail, its square is stored dense.
TEST(ColumnStructure, TheTailIsADenseSquareAtTheEndOfABlock) {
  bool any_tail = false;
  for (const ColumnProblem& problem : column_problems()) {
    for (const bool dense : {true, false}) {
      ColumnRules rules;
      rules.dense_tail = dense;
      rules.min_tail = 4;
      const ColumnStructure s = problem.structure(rules);
      any_tail = any_tail || s.tail() > 0;
      if (!dense) {
        EXPECT_EQ(s.tail(), 0);
        EXPECT_FALSE(std::signbit(s.tail_flops)) << "reports print it";
      }
      std::set<std::int64_t> positions;
      std::int64_t in_tail = 0;
      for (std::size_t j = 0; j + 1 < problem.pattern.offsets.size(); ++j) {
        for (std::int64_t e = problem.pattern.offsets[j]; e < problem.pattern.offsets[j + 1]; ++e) {
          const std::int32_t row = problem.pattern.rows[static_cast<std::size_t>(e)];
          const std::int64_t position = s.find(row, static_cast<std::int32_t>(j));
          EXPECT_TRUE(positions.insert(position).second);
          EXPECT_LT(position, s.values());
          const bool dense_place = s.in_tail(row) && s.in_tail(static_cast<std::int32_t>(j));
          EXPECT_EQ(position >= s.sparse_values(), dense_place);
          in_tail += dense_place ? 1 : 0;
        }
      }
      EXPECT_EQ(s.sparse_values() + in_tail, static_cast<std::int64_t>(problem.pattern.rows.size()));
      EXPECT_GE(static_cast<double>(in_tail), rules.tail_density * s.tail() * s.tail());
    }
  }
  EXPECT_TRUE(any_tail);
}

/// A row needs only rows of earlier levels.
TEST(ColumnStructure, LevelsOfRowsRespectDependencies) {
  for (const ColumnProblem& problem : column_problems()) {
    const ColumnStructure s = problem.structure();
    std::vector<std::int64_t> level_of(static_cast<std::size_t>(s.n));
    for (std::size_t level = 0; level + 1 < s.level_offset.size(); ++level) {
      for (std::int64_t i = s.level_offset[level]; i < s.level_offset[level + 1]; ++i)
        level_of[static_cast<std::size_t>(s.rows_by_level[static_cast<std::size_t>(i)])] = static_cast<std::int64_t>(level);
    }
    for (std::int32_t i = 0; i < s.n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (std::int64_t e = s.row_offset[row]; e < s.row_offset[row] + s.lower[row]; ++e)
        EXPECT_LT(level_of[static_cast<std::size_t>(s.columns[static_cast<std::size_t>(e)])], level_of[row]);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
