#pragma once

/// \file
/// Eigenvalues of symmetric tridiagonal matrices by bisection. A matrix is given by its diagonal and by the squares of the
/// entries beside it, of which there is one less.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace gpusupernodal {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// The number of eigenvalues below `x`: the negative pivots of T − x I (Sylvester's law of inertia). Cost: O(n).
inline std::size_t eigenvalues_below(const std::vector<double>& diagonal, const std::vector<double>& beside_squared,
                                     double x) {
  constexpr double tiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  std::size_t below = 0;
  double pivot = 1.0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    pivot = diagonal[k] - x - (k > 0 ? beside_squared[k - 1] / pivot : 0.0);
    if (std::abs(pivot) < tiny) pivot = -tiny;
    if (pivot < 0.0) ++below;
  }
  return below;
}

/// An interval that contains all eigenvalues, by Gershgorin's discs. Precondition: the matrix is not empty.
inline Interval gershgorin(const std::vector<double>& diagonal, const std::vector<double>& beside_squared) {
  Interval range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    const double left = k > 0 ? std::sqrt(beside_squared[k - 1]) : 0.0;
    const double right = k < beside_squared.size() ? std::sqrt(beside_squared[k]) : 0.0;
    range.low = std::min(range.low, diagonal[k] - left - right);
    range.high = std::max(range.high, diagonal[k] + left + right);
  }
  return range;
}

/// The k-th smallest eigenvalue (from 1), if it lies in `range`, to the given relative accuracy (0: as exact as bisection
/// gets). Halves the interval arithmetically, and geometrically once its lower end is positive. Precondition: all entries
/// are finite. Cost: O(n) for each of up to 200 steps.
inline double eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& beside_squared, std::size_t k,
                         Interval range, double accuracy) {
  constexpr int max_steps = 200;
  for (int step = 0; step < max_steps; ++step) {
    if (range.high - range.low <= accuracy * std::max(std::abs(range.low), std::abs(range.high))) break;
    const double middle = range.low > 0.0 ? std::sqrt(range.low) * std::sqrt(range.high) : 0.5 * (range.low + range.high);
    if (middle <= range.low || middle >= range.high) break;
    (eigenvalues_below(diagonal, beside_squared, middle) < k ? range.low : range.high) = middle;
  }
  return range.high;
}

}  // namespace gpusupernodal
