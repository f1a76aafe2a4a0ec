#include "io/compressed_columns.hpp"

#include <algorithm>
#include <cstddef>

namespace gpusupernodal::io {

CompressedEntries compress(std::int64_t n, const std::vector<Entry>& entries) {
  CompressedEntries result;
  result.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const Entry& e : entries) ++result.offsets[static_cast<std::size_t>(e.column) + 1];
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) result.offsets[j + 1] += result.offsets[j];
  result.entries.resize(entries.size());
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (const Entry& e : entries) result.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(e.column)]++)] = e;
  const auto by_row = [](const Entry& a, const Entry& b) { return a.row < b.row; };
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    const auto begin = result.entries.begin() + result.offsets[j];
    const auto end = result.entries.begin() + result.offsets[j + 1];
    if (!std::is_sorted(begin, end, by_row)) std::stable_sort(begin, end, by_row);
  }
  return result;
}

const Entry* find_duplicate(const CompressedEntries& columns) {
  for (std::size_t k = 1; k < columns.entries.size(); ++k) {
    const Entry& a = columns.entries[k - 1];
    const Entry& b = columns.entries[k];
    if (a.row == b.row && a.column == b.column) return &b;
  }
  return nullptr;
}

}  // namespace gpusupernodal::io
