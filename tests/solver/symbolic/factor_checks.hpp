#pragma once

/// \file
/// Invariants of every SymbolicFactor.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "solver/symbolic/symbolic_factor.hpp"
#include "tests/support/reference_symbolic.hpp"

namespace gpusupernodal::test {

inline void expect_permutation(const Permutation& permutation, std::int32_t n) {
  ASSERT_EQ(permutation.order(), n);
  ASSERT_EQ(permutation.new_of_old.size(), static_cast<std::size_t>(n));
  for (NewIndex k : permutation.old_of_new.ids()) ASSERT_EQ(permutation.new_of_old[permutation.old_of_new[k]], k);
}

/// Sizes and column intervals are consistent, and the rows of a supernode ascend and lie beyond its columns.
inline void expect_well_formed(const SymbolicFactor& factor) {
  ASSERT_EQ(factor.first_column.size(), factor.parent.size() + 1);
  ASSERT_EQ(factor.row_offset.size(), factor.parent.size() + 1);
  ASSERT_EQ(factor.first_column.back(), NewIndex(factor.order()));
  ASSERT_EQ(factor.row_offset.back(), static_cast<std::int64_t>(factor.rows.size()));
  for (SupernodeId s : factor.supernode_ids()) {
    ASSERT_GT(factor.width(s), 0);
    for (NewIndex j : IdRange<NewIndex>(factor.first_column[s], factor.first_column[s + 1])) {
      ASSERT_EQ(factor.supernode_of[j], s);
    }
    const auto rows = factor.rows_of(s);
    ASSERT_TRUE(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end()) << "rows ascend";
    if (rows.empty()) {
      ASSERT_FALSE(factor.parent[s].valid());
    } else {
      ASSERT_GE(rows.front(), factor.first_column[s + 1]);
      ASSERT_EQ(factor.parent[s], factor.supernode_of[rows.front()]);
    }
  }
}

/// Each subtree is the interval subtree_first[s] … s.
inline void expect_postordered(const SymbolicFactor& factor) {
  std::vector<std::int32_t> size(factor.parent.size(), 1);
  for (SupernodeId s : factor.supernode_ids()) {
    ASSERT_EQ(factor.subtree_first[s].value, s.value - size[static_cast<std::size_t>(s.value)] + 1);
    const SupernodeId p = factor.parent[s];
    if (!p.valid()) continue;
    ASSERT_GT(p, s);
    ASSERT_LE(factor.subtree_first[p], factor.subtree_first[s]);
    size[static_cast<std::size_t>(p.value)] += size[static_cast<std::size_t>(s.value)];
  }
}

/// Compares with plain elimination in the factor's permutation: the last column of a supernode has exactly the supernode's
/// rows, and no other column has rows outside its panel. Without merging, every column fills its panel.
inline void expect_structure(const SymbolicFactor& factor, const ReferenceSymbolic& reference, Merging merging) {
  ASSERT_EQ(factor.nonzeros, reference.nonzeros);
  ASSERT_EQ(factor.flops, reference.flops);
  for (SupernodeId s : factor.supernode_ids()) {
    std::vector<std::int32_t> panel;
    for (std::int32_t j = factor.first_column[s].value; j < factor.first_column[s + 1].value; ++j) panel.push_back(j);
    for (NewIndex row : factor.rows_of(s)) panel.push_back(row.value);
    for (std::int32_t k = 0; k < factor.width(s); ++k) {
      const auto& column = reference.columns[static_cast<std::size_t>(panel[static_cast<std::size_t>(k)])];
      const bool exact = merging == Merging::none || k + 1 == factor.width(s);
      if (exact) {
        ASSERT_TRUE(std::equal(column.begin(), column.end(), panel.begin() + k, panel.end())) << "supernode " << s.value;
      } else {
        ASSERT_TRUE(std::includes(panel.begin() + k, panel.end(), column.begin(), column.end())) << "supernode " << s.value;
      }
    }
  }
}

}  // namespace gpusupernodal::test
