#pragma once

/// \file
/// Where the dense panels of L lie in one array of values.

#include <cstdint>

#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// The panel of supernode s is `front(s) × width(s)`, column-major, diagonal block on top, at value_offset[s] with
/// leading dimension ld[s] ≥ front(s). Rows 0 … width−1 of a panel are its own columns, row width+i is rows_of(s)[i].
/// Above the diagonal of the diagonal block, and in padding rows, values are unspecified.
struct PanelLayout {
  IdVector<SupernodeId, std::int64_t> value_offset;  ///< supernodes + 1; the last entry is the number of values.
  IdVector<SupernodeId, std::int32_t> ld;

  std::int64_t values() const { return value_offset.empty() ? 0 : value_offset.back(); }
};

/// Columns of fronts of 32 rows and more start on a multiple of four elements, so that vector loads stay aligned.
PanelLayout build_panel_layout(const SymbolicFactor& factor);

}  // namespace gpusupernodal
