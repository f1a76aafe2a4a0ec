#pragma once

/// \file
/// The pattern on which a general matrix is factorized with pivots on the diagonal.

#include <cstdint>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

/// The lower triangle of a symmetric pattern by columns. Each column begins with its diagonal entry; its rows ascend and
/// are distinct.
struct SymmetrizedPattern {
  RawVector<std::int64_t> offsets;  ///< n + 1 entries.
  RawVector<std::int32_t> rows;

  /// Returns a view of the pattern. It is valid until the pattern is changed or destroyed.
  PatternView view() const {
    return {static_cast<std::int64_t>(offsets.size()) - 1, offsets.data(), rows.data(), StoredPart::lower,
            Compression::columns};
  }
};

/// Returns the pattern of B + Bᵀ with a full diagonal, where row j of B is row row_of_column[j] of A. The pattern depends on
/// the pattern of A alone: entries whose value is zero count. Precondition: row_of_column is a permutation of 0 … n−1.
/// Cost: O(n + nnz) time; 4 bytes of workspace per entry.
SymmetrizedPattern symmetrized_pattern(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column);

}  // namespace gpusupernodal
