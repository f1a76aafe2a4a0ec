#include "solver/general/column_entries.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"

namespace gpusupernodal {
namespace {

/// Entries grouped by their outer index (column or row) of a compressed format.
template <class Offset, class Inner>
struct Groups {
  std::int64_t n;
  const Offset* offsets;
  const Inner* inner;
  const std::int64_t* entry;  ///< Index of each entry into the caller's values; nullptr: the position itself.

  std::int64_t entry_at(std::int64_t position) const { return entry == nullptr ? position : entry[position]; }
};
// clang deduces no arguments of aggregates before its version 17.
template <class Offset, class Inner>
Groups(std::int64_t, const Offset*, const Inner*, const std::int64_t*) -> Groups<Offset, Inner>;

ColumnEntries with_space(std::int64_t n, std::int64_t entries) {
  ColumnEntries result;
  result.n = static_cast<std::int32_t>(n);
  result.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  result.rows.resize(static_cast<std::size_t>(entries));
  result.entry.resize(static_cast<std::size_t>(entries));
  return result;
}

/// Groups the entries by their inner index. Within a group of the result, the outer indices of `groups` ascend.
template <class Offset, class Inner>
ColumnEntries transposed(const Groups<Offset, Inner>& groups) {
  const std::int64_t entries = groups.offsets[groups.n];
  ColumnEntries result = with_space(groups.n, entries);
  for (std::int64_t k = 0; k < entries; ++k) ++result.offsets[static_cast<std::size_t>(groups.inner[k]) + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  RawVector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::int64_t outer = 0; outer < groups.n; ++outer) {
    for (std::int64_t k = groups.offsets[outer]; k < groups.offsets[outer + 1]; ++k) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(groups.inner[k])]++);
      result.rows[place] = static_cast<std::int32_t>(outer);
      result.entry[place] = groups.entry_at(k);
    }
  }
  return result;
}

template <class Offset, class Inner>
bool ascending(const Groups<Offset, Inner>& groups) {
  for (std::int64_t outer = 0; outer < groups.n; ++outer) {
    if (!std::is_sorted(groups.inner + groups.offsets[outer], groups.inner + groups.offsets[outer + 1])) return false;
  }
  return true;
}

template <class Offset, class Inner>
ColumnEntries copied(const Groups<Offset, Inner>& groups) {
  ColumnEntries result = with_space(groups.n, groups.offsets[groups.n]);
  std::copy_n(groups.offsets, groups.n + 1, result.offsets.begin());
  std::transform(groups.inner, groups.inner + groups.offsets[groups.n], result.rows.begin(),
                 [](Inner row) { return static_cast<std::int32_t>(row); });
  std::iota(result.entry.begin(), result.entry.end(), std::int64_t{0});
  return result;
}

}  // namespace

void validate_general_pattern(const PatternView& pattern) {
  if (pattern.part != StoredPart::full) {
    fail<InvalidInput>("the view says that only the {} part is stored, but a general matrix needs all of its entries",
                       pattern.part == StoredPart::lower ? "lower" : "upper");
  }
  validate_pattern(pattern);
}

ColumnEntries column_entries(const PatternView& pattern) {
  if (pattern.n == 0 || pattern.entries() == 0) return with_space(pattern.n, 0);
  return with_index_pointers(pattern.offsets, pattern.indices, [&](auto offsets, auto indices) {
    const Groups groups{pattern.n, offsets, indices, nullptr};
    if (pattern.compression == Compression::rows) return transposed(groups);
    if (ascending(groups)) return copied(groups);
    const ColumnEntries by_rows = transposed(groups);
    return transposed(Groups{pattern.n, by_rows.offsets.data(), by_rows.rows.data(), by_rows.entry.data()});
  });
}

}  // namespace gpusupernodal
