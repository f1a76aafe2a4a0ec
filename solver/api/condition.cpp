#include "solver/api/condition.hpp"

#include <algorithm>
#include <cmath>

namespace gpusupernodal {
namespace {

template <class T>
double one_norm(const std::vector<T>& v) {
  double sum = 0.0;
  for (T entry : v) sum += std::abs(static_cast<double>(entry));
  return sum;
}

/// Replaces v by its signs; returns whether they equal `before`.
template <class T>
bool take_signs(std::vector<T>& v, const std::vector<T>& before) {
  for (T& entry : v) entry = entry >= T(0) ? T(1) : T(-1);
  return v == before;
}

template <class T>
std::size_t largest_entry(const std::vector<T>& v) {
  const auto smaller = [](T a, T b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::max_element(v.begin(), v.end(), smaller) - v.begin());
}

/// The alternating vector that catches matrices on which the iteration is misled.
template <class T>
double alternating_estimate(std::int64_t n, const std::function<void(std::vector<T>&)>& solve) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const double magnitude = 1.0 + (n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0);
    x[static_cast<std::size_t>(i)] = static_cast<T>(i % 2 == 0 ? magnitude : -magnitude);
  }
  solve(x);
  return 2.0 * one_norm(x) / (3.0 * static_cast<double>(n));
}

/// ‖A⁻¹‖₁ from every column of the inverse. NaN where a column has one.
template <class T>
double inverse_norm_by_columns(std::int64_t n, const std::function<void(std::vector<T>&)>& solve) {
  double norm = 0.0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    std::vector<T> x(static_cast<std::size_t>(n), T(0));
    x[j] = T(1);
    solve(x);
    const double sum = one_norm(x);
    if (!(sum <= norm)) norm = sum;
    if (std::isnan(norm)) break;
  }
  return norm;
}

constexpr int max_iterations = 5;
constexpr int max_solves = 2 * max_iterations + 1;

}  // namespace

template <class T>
double inverse_norm_estimate(std::int64_t n, const std::function<void(std::vector<T>&)>& solve) {
  if (n <= max_solves) return inverse_norm_by_columns<T>(n, solve);
  std::vector<T> x(static_cast<std::size_t>(n), static_cast<T>(1.0 / static_cast<double>(n)));
  std::vector<T> signs;
  double estimate = 0.0;
  std::size_t unit = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    solve(x);
    const double norm = one_norm(x);
    if (iteration > 0 && norm <= estimate) break;
    estimate = norm;
    if (take_signs(x, signs)) break;
    signs = x;
    solve(x);  // A is symmetric: the transposed solve of the algorithm is the same one.
    const std::size_t next = largest_entry(x);
    if (iteration > 0 && next == unit) break;
    unit = next;
    std::fill(x.begin(), x.end(), T(0));
    x[unit] = T(1);
  }
  return std::max(estimate, alternating_estimate<T>(n, solve));
}

template <class T>
double symmetric_norm(const MatrixView<T>& a, const T* values, double scale, double shift) {
  std::vector<double> column_sums(static_cast<std::size_t>(a.n), 0.0);
  std::vector<bool> has_diagonal(static_cast<std::size_t>(a.n), false);
  const bool lower_by_columns = (a.compression == Compression::columns);
  for (std::int64_t outer = 0; outer < a.n; ++outer) {
    for (std::int64_t e = a.offsets[outer]; e < a.offsets[outer + 1]; ++e) {
      const std::int64_t inner = a.indices[e];
      const std::int64_t row = lower_by_columns ? inner : outer;
      const std::int64_t column = lower_by_columns ? outer : inner;
      if (a.part == StoredPart::full && row < column) continue;
      const bool diagonal = row == column;
      const double value = std::abs(scale * static_cast<double>(values[e]) + (diagonal ? shift : 0.0));
      column_sums[static_cast<std::size_t>(row)] += value;
      if (!diagonal) column_sums[static_cast<std::size_t>(column)] += value;
      if (diagonal) has_diagonal[static_cast<std::size_t>(row)] = true;
    }
  }
  double norm = 0.0;
  for (std::size_t i = 0; i < column_sums.size(); ++i) {
    norm = std::max(norm, column_sums[i] + (has_diagonal[i] ? 0.0 : std::abs(shift)));
  }
  return norm;
}

template double inverse_norm_estimate(std::int64_t, const std::function<void(std::vector<float>&)>&);
template double inverse_norm_estimate(std::int64_t, const std::function<void(std::vector<double>&)>&);
template double symmetric_norm(const MatrixView<float>&, const float*, double, double);
template double symmetric_norm(const MatrixView<double>&, const double*, double, double);

}  // namespace gpusupernodal
