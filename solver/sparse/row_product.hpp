#pragma once

/// \file
/// Products with a matrix by rows that stays where it is.

#include "solver/backend/pcg_engine.hpp"

namespace gpusupernodal {

/// A square matrix by rows in memory of somebody else: row i has entries offsets[i] … offsets[i+1]−1.
template <class S>
struct RowsView {
  std::int32_t n = 0;
  const std::int32_t* offsets = nullptr;  ///< n + 1 entries.
  const std::int32_t* columns = nullptr;
  const S* values = nullptr;
};

/// Returns y := A x on at most `threads` host threads, 0: all that the process may use. Nothing is copied, so A must outlive
/// the function and keep its pattern. Products take longer than in the format that make_layout chooses, but that choice
/// costs as much as dozens of them. Equal input gives equal bits. Cost: O(pieces · log n).
template <class S>
VectorFunction<S> make_host_row_product(const RowsView<S>& a, int threads);

}  // namespace gpusupernodal
