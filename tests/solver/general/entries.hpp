#pragma once

/// \file
/// Column entries and magnitudes of test matrices.

#include <cmath>
#include <cstddef>
#include <vector>

#include "io/general_matrix.hpp"
#include "solver/general/column_entries.hpp"

namespace gpusupernodal::test {

inline PatternView pattern_of(const io::GeneralMatrix& a) {
  return {a.n, a.offsets.data(), a.indices.data(), StoredPart::full, Compression::columns};
}

inline ColumnEntries entries_of(const io::GeneralMatrix& a) { return column_entries(pattern_of(a)); }

/// |value| of each entry in the order of `entries`.
inline std::vector<double> magnitudes_of(const ColumnEntries& entries, const std::vector<double>& values) {
  std::vector<double> magnitudes;
  for (const std::int64_t k : entries.entry) magnitudes.push_back(std::abs(values[static_cast<std::size_t>(k)]));
  return magnitudes;
}

/// Calls `body(row, column, position)` for each entry.
template <class Body>
void for_each_entry(const ColumnEntries& a, Body&& body) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      body(static_cast<std::size_t>(a.rows[k]), j, k);
    }
  }
}

}  // namespace gpusupernodal::test
