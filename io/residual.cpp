#include "io/residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gpusupernodal::io {
namespace {

/// Calls f(i, j, value) for each entry of the lower triangle.
template <class F>
void for_each_entry(const SymmetricMatrix& a, const F& f) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      f(static_cast<std::size_t>(a.indices[k]), j, a.values[k]);
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

}  // namespace

std::vector<double> multiply(const SymmetricMatrix& a, Span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(a.n), 0.0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, double value) {
    y[i] += value * x[j];
    if (i != j) y[j] += value * x[i];
  });
  return y;
}

double backward_error(const SymmetricMatrix& a, Span<const double> x, Span<const double> b) {
  // Cancellation affects the residual, so it is summed in higher precision than that of the solution.
  std::vector<long double> residual(b.begin(), b.end());
  std::vector<double> row_sums(static_cast<std::size_t>(a.n), 0.0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, double entry) {
    const long double value = entry;
    residual[i] -= value * x[j];
    row_sums[i] += std::abs(entry);
    if (i == j) return;
    residual[j] -= value * x[i];
    row_sums[j] += std::abs(entry);
  });
  const double error = largest_magnitude(residual);
  return error == 0.0 ? 0.0 : error / (largest_magnitude(row_sums) * largest_magnitude(x) + largest_magnitude(b));
}

double larger_error(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

}  // namespace gpusupernodal::io
