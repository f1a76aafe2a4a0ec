#pragma once

/// \file
/// All rows of a symmetric or Hermitian matrix of which the caller stores one triangle.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// Where each entry of the rows of A comes from.
struct SymmetricRows {
  std::int32_t n = 0;
  RawVector<std::int32_t> offsets;  ///< n + 1 entries.
  RawVector<std::int32_t> columns;  ///< Ascending in each row.
  RawVector<std::int64_t> source;   ///< Index of the entry into the caller's values.
  RawVector<std::int32_t> upper;    ///< n entries: the first entry of each row above the diagonal.
  std::int64_t entries_of_caller = 0;
  bool upper_is_read = false;  ///< The values are those of the upper triangle.

  /// The diagonal entry of a row, or −1 where none is stored.
  std::int32_t diagonal(std::int32_t row) const {
    const std::int32_t last = upper[static_cast<std::size_t>(row)] - 1;
    const bool stored = last >= offsets[static_cast<std::size_t>(row)] && columns[static_cast<std::size_t>(last)] == row;
    return stored ? last : -1;
  }
};

/// Lists the rows of A. Of a full matrix, the lower triangle is read. Precondition: validate_pattern accepts `pattern`.
/// Throws InvalidInput for more than 2³¹ − 1 entries. Cost: O(n + nnz) time.
SymmetricRows symmetric_rows(const PatternView& pattern);

/// Conjugates the half that is not read, and makes the diagonal real.
template <class S>
void conjugate_other_half(const SymmetricRows& rows, ThreadTeam& team, SparseRows<S>& a) {
  team.for_intervals(rows.n, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::int32_t diagonal = rows.diagonal(static_cast<std::int32_t>(i));
      const std::int32_t first = rows.upper_is_read ? rows.offsets[i] : rows.upper[i];
      const std::int32_t last = rows.upper_is_read ? rows.upper[i] : rows.offsets[i + 1];
      for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e)
        a.values[e] = ScalarTraits<S>::conjugate(a.values[e]);
      if (diagonal < 0) continue;
      S& entry = a.values[static_cast<std::size_t>(diagonal)];
      // Imaginary parts that are not finite stay, to be found.
      if (ScalarTraits<S>::is_finite(entry)) entry = S(ScalarTraits<S>::real(entry));
    }
  });
}

/// Sets a's values to those of the caller, in host memory. a := the pattern first if it is empty. Complex: A is
/// Hermitian.
template <class S>
void fill_rows(const SymmetricRows& rows, const S* values, ThreadTeam& team, SparseRows<S>& a) {
  if (a.offsets.empty()) {
    a.n = rows.n;
    a.offsets = rows.offsets;
    a.columns = rows.columns;
    a.values.resize(rows.source.size());
  }
  team.for_intervals(static_cast<std::int64_t>(rows.source.size()), 65536, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e)
      a.values[e] = values[rows.source[e]];
  });
  if constexpr (ScalarTraits<S>::is_complex) conjugate_other_half(rows, team, a);
}

}  // namespace gpusupernodal
