#pragma once

/// \file
/// Converts unordered entries to compressed sparse columns with ascending rows.

#include <cstdint>
#include <vector>

namespace gpusupernodal::io {

/// An entry of a matrix (0-based row and column) and its line in the file.
struct Entry {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0.0;
  std::int64_t line = 0;
};

/// Column j holds entries[offsets[j]] to entries[offsets[j + 1] − 1], with ascending rows; equal rows are in file order.
struct CompressedEntries {
  std::vector<std::int64_t> offsets;
  std::vector<Entry> entries;
};

/// Sorts by column and row. Cost: linear in entries and n if the rows of each column already ascend, as in most files.
CompressedEntries compress(std::int64_t n, const std::vector<Entry>& entries);

/// Returns the second of two entries with the same row and column; nullptr if no duplicate exists.
const Entry* find_duplicate(const CompressedEntries& columns);

}  // namespace gpusupernodal::io
