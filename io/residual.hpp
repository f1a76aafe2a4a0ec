#pragma once

/// \file
/// Products with a symmetric matrix and the backward error of a solution.

#include <vector>

#include "gpusupernodal/span.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// A x for x with n entries. Cost: 4 flops an off-diagonal entry of the lower triangle.
std::vector<double> multiply(const SymmetricMatrix& a, Span<const double> x);

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), the residual summed in long double; 0 for n = 0, NaN if x has NaN.
double backward_error(const SymmetricMatrix& a, Span<const double> x, Span<const double> b);

/// The larger of two errors; NaN if either is (std::max would lose it).
double larger_error(double a, double b);

}  // namespace gpusupernodal::io
