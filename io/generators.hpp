#pragma once

/// \file
/// Matrices of model problems on regular grids with N nodes in each direction, numbered with x fastest.
///
/// | name    | grid | neighbours | unknowns a node | values                              |
/// |---------|------|------------|-----------------|-------------------------------------|
/// | lap2d:N | N²   | 4          | 1               | diagonal 4, off-diagonal −1         |
/// | lap3d:N | N³   | 6          | 1               | diagonal 6, off-diagonal −1         |
/// | lap27:N | N³   | 26         | 1               | diagonal 26, off-diagonal −1        |
/// | elas:N  | N³   | 26         | 3               | full blocks, below                  |
/// | shell:N | N²   | 8          | 6               | full blocks, below                  |
///
/// Every matrix is that of springs between neighbours: xᵀAx = Σ (x_p − x_q)ᵀ M(d) (x_p − x_q) over neighbours p and
/// q = p + d, where nodes outside the grid are held at zero. So the block of neighbours is −M(d), the diagonal block
/// Σ M(d) over all d of the stencil, and A is positive definite as every M(d) is. For one unknown M = 1. For several
/// M(d) = v vᵀ + I/8 with v = R d / |d| and R[c][k] = [c = k] + 1 / (8 + 4 c + 4 k): each block has no zero in it.

#include <string>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// Whether `spec` begins with the name of a generator and a colon.
bool is_generator(const std::string& spec);

}  // namespace gpusupernodal::io
