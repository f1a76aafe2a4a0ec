#pragma once

/// \file
/// The pattern of L + U for pivots that stay on the diagonal.

#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

/// Entries of L + U by columns in elimination order, diagonal included. Rows of a column ascend.
struct LuPattern {
  RawVector<std::int64_t> offsets;  ///< n + 1 entries.
  RawVector<std::int32_t> rows;
};

/// What is eliminated in which order.
struct LuOrder {
  std::span<const std::int32_t> column;      ///< Column of A that is eliminated k-th.
  std::span<const std::int32_t> row;         ///< Row of A that is eliminated k-th.
  std::span<const std::int32_t> block_ends;  ///< End of each diagonal block of a block upper triangular form, ascending.
};

/// Computes the fill of the diagonal blocks. Above them, entries of A stay as they are: they take part in solves only, and
/// are part of the result too. The pattern holds for all values, because no entry is left out for being zero.
/// Algorithm: depth-first search over L for each column [GP88], with symmetric pruning [EL92]. Cost: at most the number of
/// multiplications of the factorization, usually a few times the size of the result.
LuPattern lu_pattern(const ColumnEntries& a, const LuOrder& order);

}  // namespace gpusupernodal
