#include "solver/general/equilibration.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

#include "gpusupernodal/build_config.hpp"
#include "solver/general/binary_logarithm.hpp"
#include "solver/general/powers_of_two.hpp"

namespace gpusupernodal {
namespace {

constexpr int max_sweeps = 5;
/// Sweeps end when the estimated binary logarithm of each maximum is at most this far from 0.
constexpr double max_distance = 1.0;

double logarithm(double value) { return estimated_logarithm(value); }

template <class Real>
double logarithm(const std::complex<Real>& value) {
  return std::max(logarithm(static_cast<double>(value.real())), logarithm(static_cast<double>(value.imag())));
}

/// Divides a scale by the square root of a maximum, all as logarithms. Returns how far the maximum was from 0.
double improve(double& scale, double maximum) {
  if (maximum < no_logarithm / 2) return 0.0;
  scale -= maximum / 2;
  return std::abs(maximum);
}

/// One step of the iteration; `scales` has binary logarithms. Returns the largest distance of a maximum from 0 before it.
template <class T>
double sweep(const ColumnEntries& a, const T* values, Scales& scales) {
  double distance = 0.0;
  std::fill(scales.largest.begin(), scales.largest.end(), no_logarithm);
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    const double column = scales.column[j];
    double column_maximum = no_logarithm;
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.rows[k]);
      const double scaled = logarithm(values[a.entry[k]]) + scales.row[i] + column;
      column_maximum = std::max(column_maximum, scaled);
      scales.largest[i] = std::max(scales.largest[i], scaled);
    }
    distance = std::max(distance, improve(scales.column[j], column_maximum));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    distance = std::max(distance, improve(scales.row[i], scales.largest[i]));
  }
  return distance;
}

}  // namespace

template <class T>
void equilibrate(const ColumnEntries& a, const T* values, Scales& scales) {
  const auto n = static_cast<std::size_t>(a.n);
  scales.row.assign(n, 0.0);
  scales.column.assign(n, 0.0);
  scales.largest.resize(n);
  for (int k = 0; k < max_sweeps; ++k) {
    if (sweep(a, values, scales) <= max_distance) break;
  }
  round_to_powers(scales.row);
  round_to_powers(scales.column);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template void equilibrate(const ColumnEntries&, const T*, Scales&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#if !GPUSUPERNODAL_HAVE_DOUBLE  // For magnitudes, which are double for all scalar types.
GPUSUPERNODAL_INSTANTIATE(double)
#endif
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
