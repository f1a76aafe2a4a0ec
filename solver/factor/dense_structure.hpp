#pragma once

/// \file
/// DenseStructure: where LU on dense storage keeps L and U.

#include <algorithm>
#include <cstdint>

#include "solver/factor/assembly_map.hpp"
#include "solver/factor/general_structure.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Largest order of a matrix on dense storage: n² values are then 72 MB in double precision.
inline constexpr std::int64_t max_dense_order = 3000;

/// Values of L and U of a matrix with all n² entries, in one array. First comes the matrix by columns, `ld` apart, with L
/// below the diagonal and U above. Columns are divided into panels of `panel` columns, the last of which may be narrower.
/// A factorization then stores each diagonal square twice: in the matrix, with the adjoint of its part of U on and below the
/// diagonal, and after the matrix, as its part of L with ones on the diagonal, by columns that are `panel` apart. So solves
/// with L and with U both use kernels for lower triangles.
struct DenseStructure {
  std::int32_t n = 0;
  std::int32_t panel = 0;
  std::int64_t ld = 0;

  DenseStructure() = default;
  explicit DenseStructure(std::int32_t order);

  /// Position of entry (row, column) of the matrix.
  std::int64_t index(std::int64_t row, std::int64_t column) const { return row + column * ld; }
  /// Position of the square of L that belongs to the panel beginning at this column.
  std::int64_t square(std::int64_t first_column) const { return ld * n + first_column * panel; }
  std::int64_t values() const { return (ld + panel) * n; }
  std::int64_t panels() const { return n > 0 ? (n + panel - 1) / panel : 0; }
  /// Operations of a factorization without zeros: Σ m (1 + 2m) over the m rows below each pivot.
  double flops() const { return n * (n - 1.0) * (4.0 * n + 1.0) / 6.0; }
};

/// Where the entries of A go in the matrix. Cost O(nnz).
AssemblyMap build_dense_assembly_map(const GeneralStructure& general, const Permutation& columns,
                                     const DenseStructure& structure);

}  // namespace gpusupernodal
