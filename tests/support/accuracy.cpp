#include "tests/support/accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace gpusupernodal::test {
namespace {

/// Largest magnitude; NaN if there is one (std::max would lose it).
template <class V>
double norm(const V& v) {
  double largest = 0.0;
  for (const auto value : v) {
    const auto magnitude = static_cast<double>(std::abs(value));
    if (std::isnan(magnitude)) return magnitude;
    largest = std::max(largest, magnitude);
  }
  return largest;
}

}  // namespace

double backward_error(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(a.n);
  // The residual cancels, so it is summed in more digits than the solution under test.
  std::vector<long double> residual(b.begin(), b.end());
  std::vector<double> row_sums(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.indices[k]);
      const long double value = a.values[k];
      residual[i] -= value * x[j];
      row_sums[i] += std::abs(a.values[k]);
      if (i == j) continue;
      residual[j] -= value * x[i];
      row_sums[j] += std::abs(a.values[k]);
    }
  }
  const double error = norm(residual);
  const double scale = norm(row_sums) * norm(x) + norm(b);
  return error == 0.0 ? 0.0 : error / scale;
}

}  // namespace gpusupernodal::test
