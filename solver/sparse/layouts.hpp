#pragma once

/// \file
/// The layouts of all formats. Each costs a few passes over the entries.

#include <cstdint>

#include "solver/sparse/block_pattern.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {

/// A layout with the sizes of the pattern and nothing stored.
SparseLayout empty_layout(const RowPattern& pattern, Format format);

/// CSR; on a device `lanes` lanes share a row.
SparseLayout make_csr_layout(const RowPattern& pattern, std::int32_t lanes);

/// How slices are made.
struct SliceShape {
  std::int32_t lanes = 1;     ///< Lanes of a row (block row): 1, 2, 4 … 32.
  std::int32_t window = 1;    ///< Rows within a window are sorted by length; 1: rows keep their places.
  bool equal_widths = false;  ///< All slices are as wide as the widest: ELL.
};

/// Stored blocks that make_sell_layout would make, padding included.
std::int64_t stored_blocks(const BlockPattern& pattern, const SliceShape& shape);

/// SELL, ELL or blocks: the format is block if the blocks have more than one row, ell if widths are equal. Throws
/// InvalidInput if 2³¹ or more values would be stored.
SparseLayout make_sell_layout(const RowPattern& pattern, const BlockPattern& blocks, const SliceShape& shape);

/// DIA, of a symmetric half if the pattern is one. `diagonals` are their distances, ascending.
SparseLayout make_dia_layout(const RowPattern& pattern, const RawVector<std::int32_t>& diagonals);

/// COO by rows.
SparseLayout make_coo_layout(const RowPattern& pattern);

/// ELL for the first `width` entries of each row and COO for the others.
SparseLayout make_hyb_layout(const RowPattern& pattern, std::int32_t width);

/// The largest width that at least a third of the rows fill.
std::int32_t hyb_width(const RowPattern& pattern);

/// Distances of the diagonals that hold entries, ascending; those above and on the main one if the pattern is symmetric.
/// Empty if there are more than `most`.
RawVector<std::int32_t> diagonals_of(const RowPattern& pattern, std::int64_t most);

}  // namespace gpusupernodal
