#include "solver/general/symmetrized_pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gpusupernodal {
namespace {

/// Off-diagonal entries of the lower triangle of B + Bᵀ by rows: columns in any order, possibly repeated.
struct LowerRows {
  RawVector<std::int64_t> offsets;
  RawVector<std::int32_t> columns;
};

/// Calls `visit(row, column)` with row > column for each off-diagonal entry of B, mirrored if it is above the diagonal.
template <class Visit>
void for_each_lower(const ColumnEntries& a, const RawVector<std::int32_t>& new_row, Visit&& visit) {
  for (std::int32_t j = 0; j < a.n; ++j) {
    for (std::int64_t k = a.offsets[static_cast<std::size_t>(j)]; k < a.offsets[static_cast<std::size_t>(j) + 1]; ++k) {
      const std::int32_t i = new_row[static_cast<std::size_t>(a.rows[static_cast<std::size_t>(k)])];
      if (i != j) visit(std::max(i, j), std::min(i, j));
    }
  }
}

LowerRows lower_rows(const ColumnEntries& a, const RawVector<std::int32_t>& new_row) {
  LowerRows lower;
  lower.offsets.assign(static_cast<std::size_t>(a.n) + 1, 0);
  for_each_lower(a, new_row,
                 [&](std::int32_t row, std::int32_t /*column*/) { ++lower.offsets[static_cast<std::size_t>(row) + 1]; });
  std::partial_sum(lower.offsets.begin(), lower.offsets.end(), lower.offsets.begin());
  lower.columns.resize(static_cast<std::size_t>(lower.offsets.back()));
  RawVector<std::int64_t> next(lower.offsets.begin(), lower.offsets.end() - 1);
  for_each_lower(a, new_row, [&](std::int32_t row, std::int32_t column) {
    lower.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] = column;
  });
  return lower;
}

/// Calls `visit(row, column)` for each diagonal entry and each distinct entry of `lower`, in ascending order of rows.
template <class Visit>
void for_each_distinct(const LowerRows& lower, Visit&& visit) {
  const auto n = static_cast<std::int32_t>(lower.offsets.size()) - 1;
  RawVector<std::int32_t> last_row(static_cast<std::size_t>(n), -1);
  for (std::int32_t row = 0; row < n; ++row) {
    visit(row, row);
    for (std::int64_t k = lower.offsets[static_cast<std::size_t>(row)]; k < lower.offsets[static_cast<std::size_t>(row) + 1];
         ++k) {
      const std::int32_t column = lower.columns[static_cast<std::size_t>(k)];
      if (last_row[static_cast<std::size_t>(column)] == row) continue;
      last_row[static_cast<std::size_t>(column)] = row;
      visit(row, column);
    }
  }
}

}  // namespace

SymmetrizedPattern symmetrized_pattern(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column) {
  const auto n = static_cast<std::size_t>(a.n);
  RawVector<std::int32_t> new_row(n);
  for (std::size_t j = 0; j < n; ++j) new_row[static_cast<std::size_t>(row_of_column[j])] = static_cast<std::int32_t>(j);
  const LowerRows lower = lower_rows(a, new_row);

  SymmetrizedPattern result;
  result.offsets.assign(n + 1, 0);
  for_each_distinct(
      lower, [&](std::int32_t /*row*/, std::int32_t column) { ++result.offsets[static_cast<std::size_t>(column) + 1]; });
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.rows.resize(static_cast<std::size_t>(result.offsets.back()));
  RawVector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for_each_distinct(lower, [&](std::int32_t row, std::int32_t column) {
    result.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++)] = row;
  });
  return result;
}

}  // namespace gpusupernodal
