#pragma once

/// \file
/// The permutation of rows that puts the largest possible product on the diagonal, and the scaling that comes with it.

#include <cstdint>
#include <vector>

#include "solver/general/column_entries.hpp"

namespace gpusupernodal {

struct Matching {
  std::vector<std::int32_t> row_of_column;  ///< A permutation: row row_of_column[j] of A becomes row j.
  std::int32_t structural_rank = 0;         ///< Columns that are matched with a nonzero; if less than n, A is singular.
  std::vector<double> row_scale;            ///< Powers of two.
  std::vector<double> column_scale;         ///< Powers of two.
};

/// Maximizes the product of the magnitudes on the diagonal (job 5 of MC64 [DK01]).
///
/// The exact scales of this matching give every matched entry the magnitude 1, and no entry a larger one. They are rounded
/// to powers of two, so that scaling a matrix does not round its entries; row_scale[i]·|a(i, j)|·column_scale[j] therefore
/// lies in [1/2, 2] for matched entries and is at most 2 for others, up to rounding of 2⁻³² in the logarithms. Exponents
/// beyond ±1022 are cut off, so that scales are finite; matrices with magnitudes far beyond 2^±100 can then break these
/// bounds, but not the largest product.
///
/// If A is structurally singular, as many entries as possible are matched, with the largest product among all matchings of
/// the same rows and columns. Other rows stay where they are if that diagonal position is free, or else fill the free
/// columns in ascending order. Rows and columns without nonzeros have the scale 1.
///
/// `magnitudes` has |value| of each entry in the order of ColumnEntries. Zeros and NaN do not count as entries; infinity
/// counts as the largest double. Deterministic. Cost: as least_cost_assignment, one logarithm and 8 bytes per entry.
Matching maximum_product_matching(const ColumnEntries& a, const double* magnitudes);

}  // namespace gpusupernodal
