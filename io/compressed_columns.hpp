#pragma once

/// \file
/// From entries in any order to compressed sparse columns with ascending rows.

#include <cstdint>
#include <vector>

namespace gpusupernodal::io {

/// An entry of a matrix (zero-based) and the line it stands in.
struct Entry {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0.0;
  std::int64_t line = 0;
};

/// Entries of column j: entries[offsets[j]] to entries[offsets[j + 1] − 1], rows ascending; equal rows in file order.
struct CompressedEntries {
  std::vector<std::int64_t> offsets;
  std::vector<Entry> entries;
};

/// Sorts by column and row; linear in entries and n where rows already ascend in each column, as in most files.
CompressedEntries compress(std::int64_t n, const std::vector<Entry>& entries);

/// The second of two entries at the same place, or nullptr if there is none.
const Entry* find_duplicate(const CompressedEntries& columns);

}  // namespace gpusupernodal::io
