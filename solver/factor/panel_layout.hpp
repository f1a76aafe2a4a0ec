#pragma once

/// \file
/// The layout of the dense panels of L in one array of values.

#include <algorithm>
#include <cstdint>

#include "kernels/common/panel_blocks.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// The panel of supernode s has front(s) rows and width(s) columns. Rows 0 … width−1 are the rows of the diagonal block, and
/// row width + i is rows_of(s)[i]. It is stored as block columns of panel_block columns; block column b holds rows
/// panel_block·b … front−1, column-major. Nothing is stored above the diagonal squares of the block columns. Entries
/// above the diagonal inside these squares, and padding, are unspecified.
struct PanelLayout {
  IdVector<SupernodeId, std::int64_t> value_offset;  ///< supernodes + 1; the last entry is the number of values.
  IdVector<SupernodeId, std::int32_t> ld;            ///< Leading dimension of the first block column, ≥ front(s).

  std::int64_t values() const { return value_offset.empty() ? 0 : value_offset.back(); }
  /// Returns the block column of s that contains `column`, which counts from the first column of s.
  PanelBlock block(SupernodeId s, std::int32_t column) const { return block_of_column(value_offset[s], ld[s], column); }
  /// Returns the index of entry (i, j) of the panel of s. Precondition: i ≥ first_of_block(j).
  std::int64_t index(SupernodeId s, std::int32_t i, std::int32_t j) const { return block(s, j).index(i, j); }
};

/// Calls visit(begin, end) for the part of columns first … last−1 in each block column.
template <class Visit>
void for_each_panel_block(std::int32_t first, std::int32_t last, const Visit& visit) {
  for (std::int32_t begin = first, end = first; begin < last; begin = end) {
    end = std::min(last, first_of_block(begin) + panel_block);
    visit(begin, end);
  }
}

/// Lays out the panels one after another. `with_partners`: as many values follow as the panels have, in the same layout, so
/// their number is rounded up to the alignment of panels. Cost O(supernodes).
PanelLayout build_panel_layout(const SymbolicFactor& factor, bool with_partners = false);

}  // namespace gpusupernodal
