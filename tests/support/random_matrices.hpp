#pragma once

/// \file
/// Seeded matrices for tests: each has a known structure and is symmetric positive definite by diagonal dominance.

#include <cstdint>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// About `edges` random off-diagonal entries, values in [−1, 1], diagonal 1 + Σ|off-diagonal|.
io::SymmetricMatrix random_spd(std::int64_t n, std::int64_t edges, std::uint64_t seed);
io::SymmetricMatrix diagonal_spd(std::int64_t n);
io::SymmetricMatrix chain_spd(std::int64_t n);                      ///< Tridiagonal.
io::SymmetricMatrix star_spd(std::int64_t n, std::int64_t centre);  ///< Full row and column `centre`.
io::SymmetricMatrix arrowhead_spd(std::int64_t n);                  ///< Full last row.
io::SymmetricMatrix dense_spd(std::int64_t n, std::uint64_t seed);
io::SymmetricMatrix blocks_spd(std::int64_t blocks, std::int64_t size, std::uint64_t seed);  ///< Disconnected dense blocks.
/// Dense blocks, each connected to all of `shared` further rows: wide supernodes with rows below.
io::SymmetricMatrix joined_cliques_spd(std::int64_t cliques, std::int64_t size, std::int64_t shared, std::uint64_t seed);
/// Rows 0 … 9 are a clique connected to the last 256 rows, which are a clique too. Two cliques of 70 rows between them
/// are connected to the last 192 rows only. In this order, the two have fronts that are cut into pieces but add nothing
/// to the first piece of the last front.
io::SymmetricMatrix late_sources_spd();

/// Examples of the above with small and odd sizes (0, 1, 2, …, a few hundred), for tests that sweep.
std::vector<io::SymmetricMatrix> small_matrices();

/// Random values in [−1, 1].
std::vector<double> random_vector(std::int64_t n, std::uint64_t seed);

}  // namespace gpusupernodal::test
