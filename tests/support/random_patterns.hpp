#pragma once

/// \file
/// Seeded patterns of all shapes that a factorization may meet, for tests over thousands of them.

#include <cstdint>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// Number of families that random_pattern cycles through.
inline constexpr std::uint64_t pattern_families = 12;

/// The matrix for a seed: the family is seed % pattern_families; order, other sizes and values are random. Most have a
/// few to 150 rows, one in ten up to 500. All are diagonally dominant, a third of them barely; a third are scaled from
/// both sides by numbers from 2⁻⁸ to 2⁸. The name states family, order and seed.
io::SymmetricMatrix random_pattern(std::uint64_t seed);

/// `blocks` disconnected tridiagonal matrices of orders 1, 2, 3, 1, 2, 3, …
io::SymmetricMatrix tiny_blocks(std::int64_t blocks);

/// A front of `width` columns with `rows` rows below it: columns 0 … width−1 are full and share the last `rows` rows
/// with one further column, so that the rows below form a separate supernode. Natural order; dense if `rows` is 0.
io::SymmetricMatrix single_front(std::int64_t width, std::int64_t rows);

}  // namespace gpusupernodal::test
