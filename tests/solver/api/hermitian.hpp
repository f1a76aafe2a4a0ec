#pragma once

/// \file
/// Hermitian matrices, their stored forms, and the dense algebra that complex solvers are compared with.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/plan/stored_matrix.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {

using Complex = std::complex<double>;
using ComplexSolver = Solver<Complex>;

/// The lower triangle of a Hermitian matrix: a pattern, and a value for each of its entries.
struct Hermitian {
  io::SymmetricMatrix pattern;
  std::vector<Complex> values;

  std::int64_t n() const { return pattern.n; }
  /// Calls visit(row, column, value) for the entries of the lower triangle.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t j = 0; j < n(); ++j) {
      for (auto e = static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(pattern.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        visit(std::int64_t{pattern.indices[e]}, j, values[e]);
      }
    }
  }
};

/// Unit-modulus phases: exp(i·angle) with seeded angles.
inline std::vector<Complex> phases(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  std::vector<Complex> d(static_cast<std::size_t>(n));
  for (Complex& phase : d) phase = std::polar(1.0, angle(random));
  return d;
}

/// D* A D: Hermitian, with the eigenvalues of A and the pivots of A in every order.
inline Hermitian rotated(const io::SymmetricMatrix& a, const std::vector<Complex>& d) {
  Hermitian result{a, {}};
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      const auto column = static_cast<std::size_t>(j);
      result.values.push_back(i == column ? Complex(a.values[e]) : std::conj(d[i]) * a.values[e] * d[column]);
    }
  }
  return result;
}

/// The pattern of `a` with random complex entries; positive definite by diagonal dominance.
inline Hermitian random_hpd(const io::SymmetricMatrix& a, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Hermitian result{a, std::vector<Complex>(a.values.size())};
  std::vector<double> sums(static_cast<std::size_t>(a.n), 1.0);
  std::vector<std::size_t> diagonal(static_cast<std::size_t>(a.n));
  std::size_t e = 0;
  result.for_each([&](std::int64_t i, std::int64_t j, Complex) {
    if (i == j) {
      diagonal[static_cast<std::size_t>(j)] = e++;
      return;
    }
    const Complex entry(value(random), value(random));
    sums[static_cast<std::size_t>(i)] += std::abs(entry);
    sums[static_cast<std::size_t>(j)] += std::abs(entry);
    result.values[e++] = entry;
  });
  for (std::size_t j = 0; j < diagonal.size(); ++j) result.values[diagonal[j]] = sums[j];
  return result;
}

/// Writes the matrix in a form. The half of a full matrix that must not be read is NaN.
inline StoredMatrix<Complex> stored(const Hermitian& a, const Form& form = {}) {
  io::SymmetricMatrix numbered = a.pattern;  // Entry e has the value e, which says where it goes.
  for (std::size_t e = 0; e < numbered.values.size(); ++e) numbered.values[e] = static_cast<double>(e);
  StoredMatrix<double> places = store<double>(numbered, form);
  StoredMatrix<Complex> result{form,
                               places.n,
                               std::move(places.offsets),
                               std::move(places.indices),
                               std::move(places.narrow_offsets),
                               std::move(places.narrow_indices),
                               {}};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double place : places.values) {
    if (std::isnan(place)) {
      result.values.emplace_back(nan, nan);
      continue;
    }
    const Complex value = a.values[static_cast<std::size_t>(place)];
    result.values.push_back(form.part == StoredPart::upper ? std::conj(value) : value);
  }
  return result;
}

inline std::vector<Complex> random_complex(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Complex> v(static_cast<std::size_t>(n));
  for (Complex& entry : v) entry = {value(random), value(random)};
  return v;
}

/// ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞) for A := scale·A + shift·I; NaN if x contains NaN.
inline double backward_error(const Hermitian& a, const Complex* x, const Complex* b, double scale = 1.0,
                             double shift = 0.0) {
  const auto n = static_cast<std::size_t>(a.n());
  std::vector<Complex> residual(b, b + n);
  std::vector<double> row_sums(n, 0.0);
  a.for_each([&](std::int64_t i, std::int64_t j, Complex value) {
    const auto row = static_cast<std::size_t>(i);
    const auto column = static_cast<std::size_t>(j);
    const Complex entry = scale * value + (i == j ? shift : 0.0);
    residual[row] -= entry * x[column];
    row_sums[row] += std::abs(entry);
    if (i == j) return;
    residual[column] -= std::conj(entry) * x[row];
    row_sums[column] += std::abs(entry);
  });
  double norms[4] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double parts[4] = {std::abs(residual[i]), row_sums[i], std::abs(x[i]), std::abs(b[i])};
    for (int p = 0; p < 4; ++p) {
      if (!(parts[p] <= norms[p])) norms[p] = parts[p];
    }
  }
  return n == 0 ? 0.0 : norms[0] / (norms[1] * norms[2] + norms[3]);
}

/// x for `columns` right-hand sides.
inline std::vector<Complex> solution(ComplexSolver& solver, const std::vector<Complex>& b, System part = System::a) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = n > 0 ? static_cast<std::int64_t>(b.size()) / n : 1;
  std::vector<Complex> x(b.size());
  solver.solve(DenseView<const Complex>(b.data(), n, columns, n), DenseView<Complex>(x.data(), n, columns, n), part);
  return x;
}

/// Every column's backward error is within 4·n·eps.
inline void expect_solves(ComplexSolver& solver, const Hermitian& a, std::int64_t columns, double scale = 1.0,
                          double shift = 0.0) {
  ASSERT_EQ(solver.status(), Status::success);
  const std::vector<Complex> b = random_complex(a.n() * columns, 21);
  const std::vector<Complex> x = solution(solver, b);
  for (std::int64_t c = 0; c < columns; ++c) {
    ASSERT_LE(backward_error(a, x.data() + c * a.n(), b.data() + c * a.n(), scale, shift),
              backward_error_bound<double>(a.n()))
        << "right-hand side " << c << " of " << columns;
  }
}

inline Options on_host(int threads = 2) {
  Options options;
  options.backend = Backend::host;
  options.threads = threads;
  return options;
}

/// A dense square matrix, column-major.
struct DenseComplex {
  std::size_t n;
  std::vector<Complex> entries;

  explicit DenseComplex(std::int64_t order) : n(static_cast<std::size_t>(order)), entries(n * n) {}
  Complex& operator()(std::size_t i, std::size_t j) { return entries[j * n + i]; }
  Complex operator()(std::size_t i, std::size_t j) const { return entries[j * n + i]; }
};

/// P A Pᵀ for the order of elimination, both triangles.
inline DenseComplex permuted(const Hermitian& a, const std::vector<std::int64_t>& old_of_new) {
  std::vector<std::size_t> new_of_old(old_of_new.size());
  for (std::size_t k = 0; k < old_of_new.size(); ++k) new_of_old[static_cast<std::size_t>(old_of_new[k])] = k;
  DenseComplex dense(a.n());
  a.for_each([&](std::int64_t i, std::int64_t j, Complex value) {
    const std::size_t row = new_of_old[static_cast<std::size_t>(i)];
    const std::size_t column = new_of_old[static_cast<std::size_t>(j)];
    dense(row, column) = value;
    dense(column, row) = std::conj(value);
  });
  return dense;
}

/// Plain Cholesky: the lower factor in place, and the first column whose pivot is not positive, or −1.
inline std::int64_t dense_cholesky(DenseComplex& a) {
  for (std::size_t j = 0; j < a.n; ++j) {
    const double pivot = a(j, j).real();
    if (!(pivot > 0.0)) return static_cast<std::int64_t>(j);
    for (std::size_t i = j; i < a.n; ++i) a(i, j) /= std::sqrt(pivot);
    for (std::size_t k = j + 1; k < a.n; ++k) {
      for (std::size_t i = k; i < a.n; ++i) a(i, k) -= a(i, j) * std::conj(a(k, j));
    }
  }
  return -1;
}

}  // namespace gpusupernodal::test
