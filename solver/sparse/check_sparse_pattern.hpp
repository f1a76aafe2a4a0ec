#pragma once

/// \file
/// Checks of a caller's pattern for products. Each throws InvalidInput with the numbers.

#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// Checks sizes, offsets, the range of indices and the stored part.
void check_sparse_arrays(const SparsePatternView& view);

/// Checks that no place occurs twice. Precondition: rows are sorted.
void refuse_duplicates(const RowPattern& pattern);

}  // namespace gpusupernodal
