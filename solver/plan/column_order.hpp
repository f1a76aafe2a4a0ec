#pragma once

/// \file
/// Graphs by which the columns of a general matrix are ordered.

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/general/block_triangular.hpp"
#include "solver/general/column_entries.hpp"
#include "solver/general/symmetrized_pattern.hpp"

namespace gpusupernodal {

/// The entries of A inside the diagonal blocks; B, whose form is given, has the rows of A in the order of row_of_column.
ColumnEntries inside_blocks(const ColumnEntries& a, const std::vector<std::int32_t>& row_of_column,
                            const BlockTriangularForm& form);

/// The graph of BᵀB: columns that share a row. Rows with very many entries, which would connect everything, are left out.
/// Returns nothing if the graph would be much larger than A.
std::optional<SymmetrizedPattern> product_pattern(const ColumnEntries& a);

/// Whether few entries have a partner in the other half, so that the order of BᵀB and a schedule of LU without
/// symmetrization may have much less fill. `sum` is the pattern of B + Bᵀ.
bool is_far_from_symmetric(const ColumnEntries& entries, const SymmetrizedPattern& sum);

}  // namespace gpusupernodal
