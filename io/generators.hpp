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
///
/// General matrices, on N² nodes:
///
/// | name       | rows   | model                                                     |
/// |------------|--------|-----------------------------------------------------------|
/// | convdiff:N | N²     | convection and diffusion, finite differences, upwinded    |
/// | circuit:N  | N² + N | grid of resistors with sources, modified nodal analysis   |
///
/// convdiff discretizes −Δu + p ∂u/∂x + q ∂u/∂y with u = 0 outside the grid, where the cell Péclet numbers p·h and q·h are
/// 100 and 30, times h²: the diagonal is 4 + 130, the entries for the neighbours to the left and below are −101 and −31, and
/// those for the others are −1.
///
/// circuit has resistors between neighbours, with conductances 1, 10⁻¹, 10⁻² and 10⁻³ in turn, and from each node to ground,
/// with conductance 1. Every fifth node controls a current source of 0.5 A/V into the node N/2 + 1 nodes later, if there is
/// one. These are rows and columns 0 … N² − 1, for the nodes. Row and column N² + s belong to the voltage source s, which
/// begins at the first node of line s of the grid; it ends at ground if s is even, at the last node of the line if s is odd.
/// Their diagonal entries are zero and are not stored. The matrix is nonsingular: the symmetric part of the rows and columns
/// of nodes is positive definite, and no two sources share a node.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// Returns the names before the colon, such as "lap2d".
std::vector<std::string> generator_names();

/// Whether `spec` begins with the name of a generator and a colon.
bool is_generator(const std::string& spec);

/// As generator_names and is_generator, for general matrices.
std::vector<std::string> general_generator_names();
bool is_general_generator(const std::string& spec);

/// Returns N of "name:N". Throws InvalidInput unless N is positive and the matrix has fewer than 2³¹ − 1 rows, of which
/// there are rows(N).
std::int64_t generator_size(const std::string& spec, const std::function<double(double)>& rows);

}  // namespace gpusupernodal::io
