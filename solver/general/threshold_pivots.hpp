#pragma once

/// \file
/// Row exchanges by threshold pivoting: the search for pivots that LU needs where a matching by magnitudes is not enough.

#include <cstdint>
#include <span>
#include <vector>

#include "solver/general/column_entries.hpp"
#include "solver/general/work_limit.hpp"

namespace gpusupernodal {

/// What the search starts from. Each array has n entries.
struct PivotSearch {
  std::span<const std::int32_t> column_order;     ///< Column of A that is eliminated k-th.
  std::span<const std::int32_t> preferred_row;    ///< Row that each column of A should get; a permutation.
  std::span<const std::int32_t> row_exponent;     ///< A is scaled by 2^row_exponent[i] …
  std::span<const std::int32_t> column_exponent;  ///< … and 2^column_exponent[j].
  /// A column gets its preferred row if that entry's magnitude is at least this fraction of the largest, in (0, 1].
  double threshold = 0.1;
};

/// The rows that each column of A gets, so that no multiplier exceeds 1 / threshold in magnitude.
struct ThresholdPivots {
  std::vector<std::int32_t> row_of_column;  ///< A permutation.
  std::int64_t exchanged = 0;               ///< Columns that did not get their preferred row.
  std::int64_t without_pivot = 0;           ///< Columns that had only zeros left; they got a free row.
  bool abandoned = false;                   ///< The limit was exceeded; there are no rows then.
};

/// Factorizes the scaled A by columns with threshold pivoting, left-looking [GP88], and returns the order of the rows. L is
/// discarded. `values` are those of A in the caller's order of entries, finite. S: float, double and their complex types;
/// the arithmetic is in double precision. The search is abandoned if it takes more than limit.max_flops operations. Throws
/// what limit.check throws. Deterministic. Cost: that of a sparse LU on one core; memory for L.
template <class S>
ThresholdPivots threshold_pivots(const ColumnEntries& a, const S* values, const PivotSearch& search,
                                 const WorkLimit& limit = {});

}  // namespace gpusupernodal
