#pragma once

/// \file
/// Whether the diagonal of a complex matrix is that of a Hermitian one.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace gpusupernodal {

/// Whether the imaginary part of a diagonal entry is at most what rounding leaves in sums, 100·n·eps times the real part, or
/// the entry is not finite.
template <class R>
bool is_real_up_to_rounding(std::complex<R> value, std::int64_t order) {
  constexpr double c = 100.0;
  const double bound = c * static_cast<double>(order) * static_cast<double>(std::numeric_limits<R>::epsilon());
  return !ScalarTraits<std::complex<R>>::is_finite(value) ||
         static_cast<double>(std::abs(value.imag())) <= bound * static_cast<double>(std::abs(value.real()));
}

/// A stored entry on the diagonal.
struct DiagonalPlace {
  std::int32_t row = 0;
  std::int64_t value = 0;  ///< Its place in the caller's values.
};

/// The entries of a Hermitian pattern on the diagonal. Cost O(entries).
inline std::vector<DiagonalPlace> diagonal_places(const RowPattern& pattern) {
  std::vector<DiagonalPlace> places;
  for (std::int32_t i = 0; i < pattern.rows; ++i) {
    for (auto e = pattern.offsets[static_cast<std::size_t>(i)]; e < pattern.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      if (pattern.index[static_cast<std::size_t>(e)] == i) places.push_back({i, pattern.source_of(e)});
  }
  return places;
}

/// Throws InvalidInput that names the row if an entry on the diagonal is not real up to rounding, and says what to do
/// instead.
template <class R>
void require_real_up_to_rounding(std::complex<R> value, std::int64_t row, std::int64_t order, const char* remedy) {
  if (is_real_up_to_rounding(value, order)) return;
  fail<InvalidInput>(
      "the diagonal entry of row {} (counted from 0) has the real part {} and the imaginary part {}, but the diagonal of a "
      "Hermitian matrix is real; {}",
      row, value.real(), value.imag(), remedy);
}

}  // namespace gpusupernodal
