#pragma once

/// \file
/// Seeded general matrices for tests.

#include <cstdint>
#include <vector>

#include "io/general_matrix.hpp"

namespace gpusupernodal::test {

/// An entry of a matrix.
struct Triplet {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// The matrix with these entries, which are in any order and distinct.
io::GeneralMatrix general_matrix(std::int64_t n, std::vector<Triplet> entries);

/// About `entries` entries at random places with random signs and magnitudes 2ˣ, x uniform in [−exponents, exponents].
/// Any row, column or diagonal entry may be missing.
io::GeneralMatrix random_general(std::int64_t n, std::int64_t entries, double exponents, std::uint64_t seed);

/// As random_general, with a further entry in each row and each column, at the places of a random permutation: structurally
/// nonsingular.
io::GeneralMatrix random_matched(std::int64_t n, std::int64_t entries, double exponents, std::uint64_t seed);

/// A random permutation of 0 … n−1.
std::vector<std::int32_t> random_permutation(std::int64_t n, std::uint64_t seed);

/// The transposed matrix.
io::GeneralMatrix transposed(const io::GeneralMatrix& a);

/// All entries, by columns.
std::vector<Triplet> triplets(const io::GeneralMatrix& a);

}  // namespace gpusupernodal::test
