#pragma once

/// \file
/// Seeded patterns of every shape that a factorization may meet, for tests that run through thousands of them.

#include <cstdint>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// Shapes that random_pattern takes in turn.
inline constexpr std::uint64_t pattern_families = 12;

/// The matrix of a seed: its family is seed % pattern_families, its order, its other sizes and its values are drawn. Most
/// have a few to a hundred and fifty rows, one in ten up to 500. Diagonally dominant, a third of them only just, a third
/// scaled from both sides by numbers from 2⁻⁸ to 2⁸. The name says family, order and seed.
io::SymmetricMatrix random_pattern(std::uint64_t seed);

/// `blocks` disconnected tridiagonal matrices of orders 1, 2, 3, 1, 2, 3, …
io::SymmetricMatrix tiny_blocks(std::int64_t blocks);

/// A front of `width` columns with `rows` rows below it: columns 0 … width−1 are full and share all of the last `rows`
/// rows with one more column, so that what is below is a supernode of its own. Natural order; without rows it is dense.
io::SymmetricMatrix single_front(std::int64_t width, std::int64_t rows);

}  // namespace gpusupernodal::test
