#include "solver/iterative/symmetric_rows.hpp"

#include <algorithm>
#include <numeric>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {
namespace {

/// Calls visit(row, column, entry) for the entries of the triangle that is read, with row ≥ column, in storage order.
template <class Visit>
void for_each_lower(const PatternView& pattern, Visit visit) {
  if (pattern.entries() == 0) return;
  with_index_pointers(pattern.offsets, pattern.indices, [&](auto offsets, auto indices) {
    const bool by_columns = pattern.compression == Compression::columns;
    for (std::int64_t outer = 0; outer < pattern.n; ++outer) {
      for (std::int64_t e = offsets[outer]; e < offsets[outer + 1]; ++e) {
        const auto inner = static_cast<std::int64_t>(indices[e]);
        if (pattern.part == StoredPart::full && (by_columns ? inner < outer : inner > outer)) continue;
        visit(static_cast<std::int32_t>(std::max(outer, inner)), static_cast<std::int32_t>(std::min(outer, inner)), e);
      }
    }
  });
}

/// The lower triangle by columns, rows in storage order.
struct LowerColumns {
  RawVector<std::int64_t> offsets;
  RawVector<std::int32_t> rows;
  RawVector<std::int64_t> source;
};

LowerColumns lower_columns(const PatternView& pattern) {
  LowerColumns lower;
  const auto n = static_cast<std::size_t>(pattern.n);
  lower.offsets.assign(n + 1, 0);
  for_each_lower(pattern,
                 [&](std::int32_t, std::int32_t j, std::int64_t) { ++lower.offsets[static_cast<std::size_t>(j) + 1]; });
  std::partial_sum(lower.offsets.begin(), lower.offsets.end(), lower.offsets.begin());
  lower.rows.resize(static_cast<std::size_t>(lower.offsets[n]));
  lower.source.resize(lower.rows.size());
  RawVector<std::int64_t> next(lower.offsets.begin(), lower.offsets.end() - 1);
  for_each_lower(pattern, [&](std::int32_t i, std::int32_t j, std::int64_t e) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++);
    lower.rows[place] = i;
    lower.source[place] = e;
  });
  return lower;
}

/// Counts the entries of all rows; throws if 32-bit offsets cannot hold them.
void count_rows(const LowerColumns& lower, SymmetricRows& rows) {
  const auto n = static_cast<std::size_t>(rows.n);
  RawVector<std::int64_t> counts(n + 1);
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(lower.offsets[j]); e < static_cast<std::size_t>(lower.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(lower.rows[e]);
      ++counts[i + 1];
      if (i != j) ++counts[j + 1];
    }
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  if (counts[n] > largest_product_size) {
    fail<InvalidInput>("both triangles of the matrix have {} entries, but conjugate gradients take at most {}", counts[n],
                       largest_product_size);
  }
  rows.offsets.resize(n + 1);
  std::transform(counts.begin(), counts.end(), rows.offsets.begin(),
                 [](std::int64_t c) { return static_cast<std::int32_t>(c); });
}

}  // namespace

/// Columns in ascending order append their entries to rows, so rows ascend: first below the diagonal, then above it.
SymmetricRows symmetric_rows(const PatternView& pattern) {
  SymmetricRows rows;
  rows.n = static_cast<std::int32_t>(pattern.n);
  rows.entries_of_caller = pattern.entries();
  rows.upper_is_read = pattern.part == StoredPart::upper;
  const LowerColumns lower = lower_columns(pattern);
  count_rows(lower, rows);
  const auto n = static_cast<std::size_t>(pattern.n);
  rows.columns.resize(static_cast<std::size_t>(rows.offsets[n]));
  rows.source.resize(rows.columns.size());
  RawVector<std::int32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto append = [&](std::size_t row, std::int32_t column, std::int64_t source) {
    const auto place = static_cast<std::size_t>(next[row]++);
    rows.columns[place] = column;
    rows.source[place] = source;
  };
  for (std::size_t j = 0; j < n; ++j) {
    for (auto e = static_cast<std::size_t>(lower.offsets[j]); e < static_cast<std::size_t>(lower.offsets[j + 1]); ++e)
      append(static_cast<std::size_t>(lower.rows[e]), static_cast<std::int32_t>(j), lower.source[e]);
  }
  rows.upper = next;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t first = rows.offsets[i];
    for (std::int32_t e = first; e < rows.upper[i]; ++e) {
      const auto j = static_cast<std::size_t>(rows.columns[static_cast<std::size_t>(e)]);
      if (j != i) append(j, static_cast<std::int32_t>(i), rows.source[static_cast<std::size_t>(e)]);
    }
  }
  return rows;
}

}  // namespace gpusupernodal
