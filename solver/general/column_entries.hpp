#pragma once

/// \file
/// The entries of a general matrix by columns, whatever their order in the caller's arrays.

#include <cstdint>

#include "base/raw_vector.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {

/// All entries of a square matrix. Column j has entries offsets[j] … offsets[j+1]−1, with ascending rows.
struct ColumnEntries {
  std::int32_t n = 0;
  RawVector<std::int64_t> offsets;  ///< n + 1 entries.
  RawVector<std::int32_t> rows;     ///< Row of each entry.
  RawVector<std::int64_t> entry;    ///< Index of each entry into the caller's values.
};

/// Checks the pattern of a general matrix like validate_pattern. Throws InvalidInput with the caller's row and column; also
/// if `pattern` is not StoredPart::full, because a general matrix needs both of its halves. Cost: O(n + nnz).
void validate_general_pattern(const PatternView& pattern);

/// Lists the entries of a general matrix that is stored by columns or by rows, each with entries in any order.
/// Precondition: validate_general_pattern accepts `pattern`. Cost: O(n + nnz) time; memory for a second list if the
/// rows of the caller's columns do not ascend.
ColumnEntries column_entries(const PatternView& pattern);

}  // namespace gpusupernodal
