#pragma once

/// \file
/// The linear system that the examples solve, and the backward error of a solution.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gpusupernodal/views.hpp>
#include <limits>
#include <vector>

namespace example {

/// The lower half, by columns, of the five-point operator −Δu + reaction·u on an m × m grid. It is positive definite for
/// reaction ≥ 0.
struct Grid {
  explicit Grid(int m, double reaction = 0.0) {
    for (int i = 0; i < m * m; ++i) {
      rows.push_back(i);
      if ((i + 1) % m != 0) rows.push_back(i + 1);
      if (i + m < m * m) rows.push_back(i + m);
      offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    set_reaction(reaction);
  }

  /// Sets new values for the same pattern: 4 + reaction on the diagonal (the first entry of each column), −1 elsewhere.
  void set_reaction(double reaction) {
    values.assign(rows.size(), -1.0);
    for (std::int64_t j = 0; j < n(); ++j) diagonal(j) = 4.0 + reaction;
  }

  std::int64_t n() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  double& diagonal(std::int64_t j) { return values[static_cast<std::size_t>(offsets[static_cast<std::size_t>(j)])]; }

  /// The library's view of the matrix: pointers, no copies.
  gpusupernodal::MatrixView<double> view() const {
    gpusupernodal::MatrixView<double> view;
    view.n = n();
    view.offsets = offsets.data();
    view.indices = rows.data();
    view.values = values.data();
    view.part = gpusupernodal::StoredPart::lower;
    view.compression = gpusupernodal::Compression::columns;
    return view;
  }

  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> rows;
  std::vector<double> values;
};

/// y = A x.
inline std::vector<double> multiply(const Grid& a, const double* x) {
  std::vector<double> y(static_cast<std::size_t>(a.n()), 0.0);
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (auto p = static_cast<std::size_t>(a.offsets[j]); p < static_cast<std::size_t>(a.offsets[j + 1]); ++p) {
      const auto i = static_cast<std::size_t>(a.rows[p]);
      y[i] += a.values[p] * x[j];
      if (i != j) y[j] += a.values[p] * x[i];
    }
  }
  return y;
}

/// Returns the larger of two numbers; NaN if either is NaN.
inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// Returns ‖b − Ax‖ / (‖A‖ ‖x‖ + ‖b‖) in the maximum norm; NaN if x contains NaN.
inline double backward_error(const Grid& a, const double* x, const double* b) {
  const std::vector<double> ax = multiply(a, x);
  double residual = 0.0;
  double largest_x = 0.0;
  double largest_b = 0.0;
  double norm_a = 0.0;
  for (std::size_t i = 0; i < ax.size(); ++i) {
    residual = larger(residual, std::fabs(b[i] - ax[i]));
    largest_x = larger(largest_x, std::fabs(x[i]));
    largest_b = larger(largest_b, std::fabs(b[i]));
    norm_a = larger(norm_a, std::fabs(a.values[static_cast<std::size_t>(a.offsets[i])]) + 4.0);  // At most 4 neighbours.
  }
  return residual / (norm_a * largest_x + largest_b);
}

/// Bound on the backward error that rounding explains: c·n·eps with c = 4.
inline double rounding_bound(std::int64_t n) {
  return 4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
}

}  // namespace example
