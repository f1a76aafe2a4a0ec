#pragma once

/// \file
/// The order in which the steps of a solve of LU by columns are claimed.

#include <cstdint>
#include <vector>

#include "kernels/common/column_records.hpp"
#include "solver/factor/column_structure.hpp"

namespace gpusupernodal::cuda {

/// Whether the numbers of the steps of a solve, two for each row and for each block of the tail, fit into 32 bits. `order`:
/// rows of A; `tail`: those of the dense tail.
bool steps_fit(std::int64_t order, std::int64_t tail);

struct SolveOrder {
  std::vector<SolveNode> nodes;  ///< By level: each after all that it waits for.
  std::int64_t levels = 0;
};

/// Steps of rows, or of columns for the transpose. Rows of the tail have one step, which subtracts the columns before the
/// tail; blocks of the tail do the rest. Precondition: steps_fit. Cost: O(entries of L + U + tail²).
SolveOrder solve_order(const ColumnStructure& structure, bool transposed);

}  // namespace gpusupernodal::cuda
