#pragma once

/// \file
/// The pattern of a matrix as a picture.

#include <cstdint>
#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Returns an SVG of where A has entries, both triangles. If `old_of_new` is not empty, P A Pᵀ stands beside A: its row k is
/// row old_of_new[k] of A. Matrices with more than 240 rows are drawn as 240 × 240 cells, shaded by the number of their
/// entries. Precondition: `old_of_new` is empty or a permutation of the rows. Cost: O(nnz); the file is smaller than 1.5 MB.
std::string pattern_plot(const io::SymmetricMatrix& matrix, const std::vector<std::int64_t>& old_of_new = {});

}  // namespace gpusupernodal::cli
