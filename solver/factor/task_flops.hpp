#pragma once

/// \file
/// Floating-point operations of the pieces of a factorization (a multiplication and an addition count as two).

#include <cstdint>

#include "solver/factor/updates.hpp"
#include "solver/symbolic/symbolic_factor.hpp"

namespace gpusupernodal {

/// Cholesky factor of an n×n block: Σ_{c=1..n} c² = n(n+1)(2n+1)/6.
inline double potrf_flops(double n) { return n * (n + 1) * (2 * n + 1) / 6; }
/// Triangular solve of m rows against an n×n block.
inline double trsm_flops(double m, double n) { return m * n * n; }
/// m×n product of depth k.
inline double gemm_flops(double m, double n, double k) { return 2 * m * n * k; }
/// Lower triangle (diagonal included) of an n×n product of depth k.
inline double syrk_flops(double n, double k) { return n * (n + 1) * k; }

/// Operations of all columns of supernode s, including updates to ancestors: Σ count² over its columns.
inline double supernode_flops(const SymbolicFactor& factor, SupernodeId s) {
  const double w = factor.width(s);
  const double r = factor.rows_below(s);
  return potrf_flops(w) + w * r * (r + w + 1);  // Σ_{c=1..w} (r + c)²
}

/// Operations of one update.
inline double update_flops(const SymbolicFactor& factor, const Update& update) {
  const double width = factor.width(update.source);
  const double below = factor.rows_below(update.source) - update.row_end;
  return syrk_flops(update.columns(), width) + gemm_flops(below, update.columns(), width);
}

}  // namespace gpusupernodal
