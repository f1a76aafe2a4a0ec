#pragma once

/// \file
/// Matrices of model problems on regular grids with N nodes in each direction. Nodes are numbered with x fastest.
///
/// | name    | grid | neighbours | unknowns/node | values                              |
/// |---------|------|------------|---------------|-------------------------------------|
/// | lap2d:N | N²   | 4          | 1             | diagonal 4, off-diagonal −1         |
/// | lap3d:N | N³   | 6          | 1             | diagonal 6, off-diagonal −1         |
/// | lap27:N | N³   | 26         | 1             | diagonal 26, off-diagonal −1        |
/// | elas:N  | N³   | 26         | 3             | dense blocks, see below             |
/// | shell:N | N²   | 8          | 6             | dense blocks, see below             |
///
/// Every matrix models springs between neighbours: xᵀAx = Σ (x_p − x_q)ᵀ M(d) (x_p − x_q) over neighbours p and
/// q = p + d, where nodes outside the grid are fixed at zero. Hence the block of two neighbours is −M(d), the diagonal block
/// is Σ M(d) over all d of the stencil, and A is positive definite because every M(d) is. For one unknown per node, M = 1.
/// For several, M(d) = v vᵀ + I/8 with v = R d / |d| and R[c][k] = [c = k] + 1 / (8 + 4 c + 4 k), so that no block has a
/// zero.

#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// Returns the names before the colon, such as "lap2d".
std::vector<std::string> generator_names();

/// Whether `spec` begins with the name of a generator and a colon.
bool is_generator(const std::string& spec);

}  // namespace gpusupernodal::io
