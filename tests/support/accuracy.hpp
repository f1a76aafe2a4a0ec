#pragma once

/// \file
/// Backward errors and their bounds.

#include <cstdint>
#include <limits>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::test {

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞); 0 for n = 0; NaN if x has NaN.
double backward_error(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b);

/// Bound of the normwise backward error of a Cholesky solve in T: c·n·eps with c = 4. [Higham02, Theorem 10.4] gives
/// about 4 n (3 n + 1) eps in the worst case; sums of random sign stay far below n·eps. n is clamped to ≥ 10.
template <class T>
double backward_error_bound(std::int64_t n) {
  return 4.0 * static_cast<double>(n < 10 ? 10 : n) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

}  // namespace gpusupernodal::test
