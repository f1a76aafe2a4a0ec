#pragma once

/// \file
/// Lower triangular matrices by rows, and their adjoints.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "kernels/common/scalar_traits.hpp"
#include "solver/iterative/sparse_inverses.hpp"

namespace gpusupernodal {

/// No limit on the entries of a row.
inline constexpr std::int32_t max_row_of_pattern = std::numeric_limits<std::int32_t>::max();

/// Gives `g` the offsets of A's lower triangle with at most `max_row` entries in each row, and memory for the entries. A row
/// without a stored diagonal must not occur.
template <class S>
void start_lower(const SymmetricRows& pattern, std::int32_t max_row, SparseRows<S>& g) {
  const auto n = static_cast<std::size_t>(pattern.n);
  g.n = pattern.n;
  g.offsets.resize(n + 1);
  g.offsets[0] = 0;
  for (std::size_t i = 0; i < n; ++i)
    g.offsets[i + 1] = g.offsets[i] + std::min(max_row, pattern.upper[i] - pattern.offsets[i]);
  g.columns.resize(static_cast<std::size_t>(g.offsets[n]));
  g.values.resize(g.columns.size());
}

/// Makes the conjugate transpose of `inverse.g`. Cost O(nnz).
template <class S>
void transpose_lower(FactorizedInverse<S>& inverse) {
  const SparseRows<S>& g = inverse.g;
  SparseRows<S>& t = inverse.transposed;
  const auto n = static_cast<std::size_t>(g.n);
  t.n = g.n;
  t.offsets.resize(n + 1);
  std::fill(t.offsets.begin(), t.offsets.end(), 0);
  for (const std::int32_t j : g.columns) ++t.offsets[static_cast<std::size_t>(j) + 1];
  std::partial_sum(t.offsets.begin(), t.offsets.end(), t.offsets.begin());
  t.columns.resize(g.columns.size());
  t.values.resize(g.columns.size());
  RawVector<std::int32_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto e = static_cast<std::size_t>(g.offsets[i]); e < static_cast<std::size_t>(g.offsets[i + 1]); ++e) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(g.columns[e])]++);
      t.columns[place] = static_cast<std::int32_t>(i);
      t.values[place] = ScalarTraits<S>::conjugate(g.values[e]);
    }
  }
}

}  // namespace gpusupernodal
