#include "io/residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace gpusupernodal::io {
namespace {

/// Calls f(i, j, value) for each entry of A, including the mirrored ones of a symmetric matrix.
template <class Matrix, class F>
void for_each_entry(const Matrix& a, const F& f) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.indices[k]);
      f(i, j, a.values[k]);
      if (std::is_same_v<Matrix, SymmetricMatrix> && i != j) f(j, i, a.values[k]);
    }
  }
}

/// Largest magnitude, or NaN if any value is NaN, which std::max would lose.
template <class V>
double largest_magnitude(const V& values) {
  double largest = 0.0;
  for (const auto value : values) {
    const auto magnitude = static_cast<double>(std::abs(value));
    if (std::isnan(magnitude)) return magnitude;
    largest = std::max(largest, magnitude);
  }
  return largest;
}

template <class Matrix>
std::vector<double> product(const Matrix& a, Span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(a.n), 0.0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, double value) { y[i] += value * x[j]; });
  return y;
}

template <class Matrix>
double relative_residual(const Matrix& a, Span<const double> x, Span<const double> b) {
  // Cancellation affects the residual, so it is summed in higher precision than that of the solution.
  std::vector<long double> residual(b.begin(), b.end());
  std::vector<double> row_sums(static_cast<std::size_t>(a.n), 0.0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, double value) {
    residual[i] -= static_cast<long double>(value) * x[j];
    row_sums[i] += std::abs(value);
  });
  const double error = largest_magnitude(residual);
  return error == 0.0 ? 0.0 : error / (largest_magnitude(row_sums) * largest_magnitude(x) + largest_magnitude(b));
}

}  // namespace

std::vector<double> multiply(const SymmetricMatrix& a, Span<const double> x) { return product(a, x); }
std::vector<double> multiply(const GeneralMatrix& a, Span<const double> x) { return product(a, x); }

double backward_error(const SymmetricMatrix& a, Span<const double> x, Span<const double> b) {
  return relative_residual(a, x, b);
}
double backward_error(const GeneralMatrix& a, Span<const double> x, Span<const double> b) {
  return relative_residual(a, x, b);
}

double larger_error(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace gpusupernodal::io
