#pragma once

/// \file
/// Patterns of L + U for tests of LU by columns, with values and a plain factorization.

#include <cmath>
#include <numeric>
#include <vector>

#include "solver/factor/column_structure.hpp"
#include "solver/general/block_triangular.hpp"
#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace gpusupernodal::test {

/// A matrix in block upper triangular form with a strong diagonal, dense and by pattern.
struct ColumnProblem {
  std::int32_t n = 0;
  std::vector<std::int32_t> block_ends;
  LuPattern pattern;
  std::vector<std::vector<double>> a;

  ColumnStructure structure(const ColumnRules& rules = {}) const {
    return build_column_structure(pattern, block_ends, rules);
  }
  std::int32_t block_begin(std::int32_t k) const {
    std::int32_t begin = 0;
    for (const std::int32_t end : block_ends) {
      if (k < end) break;
      begin = end;
    }
    return begin;
  }
};

/// Orders the columns by blocks, and makes the diagonal dominant.
inline ColumnProblem column_problem(std::int32_t n, std::int64_t entries, std::uint64_t seed, bool blocks) {
  const ColumnEntries random = entries_of(random_matched(n, entries, 1.0, seed));
  std::vector<std::int32_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  BlockTriangularForm form{std::vector<std::int32_t>(rows.size(), 0), 1};
  if (blocks) form = block_triangular_form(random, rows);
  std::vector<std::int32_t> order = rows;
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    return form.block[static_cast<std::size_t>(i)] < form.block[static_cast<std::size_t>(j)];
  });
  ColumnProblem problem;
  problem.n = n;
  problem.block_ends.assign(static_cast<std::size_t>(form.blocks), 0);
  for (const std::int32_t block : form.block) ++problem.block_ends[static_cast<std::size_t>(block)];
  std::partial_sum(problem.block_ends.begin(), problem.block_ends.end(), problem.block_ends.begin());
  problem.pattern = lu_pattern(random, {order, order, problem.block_ends});
  std::vector<std::size_t> new_of_old(rows.size());
  for (std::size_t k = 0; k < order.size(); ++k) new_of_old[static_cast<std::size_t>(order[k])] = k;
  problem.a.assign(rows.size(), std::vector<double>(rows.size(), 0.0));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto j = static_cast<std::size_t>(order[k]);
    for (std::int64_t e = random.offsets[j]; e < random.offsets[j + 1]; ++e) {
      const std::size_t i = new_of_old[static_cast<std::size_t>(random.rows[static_cast<std::size_t>(e)])];
      problem.a[i][k] = std::sin(static_cast<double>(7 * i + 3 * k + seed));
    }
    problem.a[k][k] = 4.0 + static_cast<double>(k % 3);
  }
  return problem;
}

inline std::vector<ColumnProblem> column_problems() {
  std::vector<ColumnProblem> problems;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const std::int32_t n : {1, 5, 30, 90}) problems.push_back(column_problem(n, 2 * n, seed, seed % 2 == 0));
  }
  problems.push_back(column_problem(120, 4000, 3, true));  // Almost all of it is a tail.
  return problems;
}

}  // namespace gpusupernodal::test
