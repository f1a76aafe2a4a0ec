#pragma once

/// \file
/// Dense blocks that rows and columns of whole matrices are made of, for products of matrices.

#include <cstdint>

#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// Orders of blocks that products of matrices look for, the largest first.
inline constexpr std::int32_t product_blocks[] = {6, 3, 2};

/// Whether the pattern consists of dense blocks of this order, none with a missing entry. Cost O(entries), less where it
/// does not.
bool has_exact_blocks(const RowPattern& pattern, std::int32_t block);

}  // namespace gpusupernodal
