#pragma once

/// \file
/// Products with a symmetric or general matrix, and the backward error of a solution.

#include <vector>

#include "gpusupernodal/span.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// Returns A x. Precondition: x has n entries. Cost: 2 flops per entry, stored or mirrored.
std::vector<double> multiply(const SymmetricMatrix& a, Span<const double> x);
std::vector<double> multiply(const GeneralMatrix& a, Span<const double> x);

/// Returns ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), with the residual in long double; 0 for n = 0, NaN if x contains NaN.
double backward_error(const SymmetricMatrix& a, Span<const double> x, Span<const double> b);
double backward_error(const GeneralMatrix& a, Span<const double> x, Span<const double> b);

/// Returns the larger of two errors, or NaN if either is NaN, which std::max would lose.
double larger_error(double a, double b);

}  // namespace gpusupernodal::io
