#pragma once

/// \file
/// Symmetric matrices, their eigenvalues and solves for the tests of LDLᵀ.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "tests/support/general_entries.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test::symmetric {

inline Options ldlt_options(int threads = 2) {
  Options options;
  options.form = gpusupernodal::Form::ldlt;
  options.threads = threads;
  return options;
}

/// For tests of what the host alone does: pairs of pivots, equal bits.
inline Options ldlt_on_host(int threads = 2) {
  Options options = ldlt_options(threads);
  options.backend = Backend::host;
  return options;
}

/// 100·sqrt(n)·eps: what every solve that returns has reached.
template <class T>
double bound(std::int64_t n) {
  return 100.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) *
         static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Sets (i, j) and (j, i).
inline void put(GeneralEntries& a, std::int64_t i, std::int64_t j, double value) { a(i, j) = a(j, i) = value; }

/// One half of A, or all of it.
template <class T>
StoredGeneral<T> store_part(const GeneralEntries& a, StoredPart part) {
  GeneralEntries read{a.n, {}};
  for (const auto& [place, value] : a.entries) {
    const auto [i, j] = place;
    if (part == StoredPart::full || (part == StoredPart::lower ? i >= j : i <= j)) read(i, j) = value;
  }
  return store_general<T>(read);
}

template <class T>
MatrixView<T> view_of(const StoredGeneral<T>& stored, StoredPart part) {
  MatrixView<T> view = stored.view();
  view.part = part;
  return view;
}

/// Analyzes and factorizes the lower half of A.
template <class T>
void compute(Solver<T>& solver, const GeneralEntries& a) {
  solver.compute(view_of(store_part<T>(a, StoredPart::lower), StoredPart::lower));
}

template <class T>
std::vector<T> right_hand_sides(std::int64_t entries, std::uint64_t seed) {
  const std::vector<double> v = random_vector(entries, seed);
  return {v.begin(), v.end()};
}

template <class T>
std::vector<T> solved(Solver<T>& solver, const std::vector<T>& b, System part = System::a) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = n > 0 ? static_cast<std::int64_t>(b.size()) / n : 1;
  std::vector<T> x(b.size());
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n), part);
  return x;
}

template <class T>
void expect_accurate(Solver<T>& solver, const GeneralEntries& a, const std::string& what) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = right_hand_sides<T>(a.n, 5);
  EXPECT_LE(general_backward_error(a, solved(solver, b), b), bound<T>(a.n)) << what;
  EXPECT_LE(general_backward_error(a, solved(solver, b, System::transposed), b), bound<T>(a.n)) << what;
}

/// Eigenvalues by Jacobi's rotations, for small n.
inline std::vector<double> eigenvalues(const GeneralEntries& entries) {
  const auto n = static_cast<std::size_t>(entries.n);
  std::vector<double> a(n * n, 0.0);
  for (const auto& [place, value] : entries.entries)
    a[static_cast<std::size_t>(place.first) + static_cast<std::size_t>(place.second) * n] = value;
  constexpr double negligible = 1e-300;  // Entries beside the diagonal after which rotations change nothing.
  for (int sweep = 0; sweep < 30; ++sweep) {
    double beside = 0.0;
    for (std::size_t q = 1; q < n; ++q) {
      for (std::size_t p = 0; p < q; ++p) {
        const double apq = a[p + q * n];
        beside = std::max(beside, std::abs(apq));
        if (apq == 0.0) continue;
        const double theta = (a[q + q * n] - a[p + p * n]) / (2.0 * apq);
        const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double kp = a[k + p * n];
          const double kq = a[k + q * n];
          a[k + p * n] = c * kp - s * kq;
          a[k + q * n] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double pk = a[p + k * n];
          const double qk = a[q + k * n];
          a[p + k * n] = c * pk - s * qk;
          a[q + k * n] = s * pk + c * qk;
        }
      }
    }
    if (beside < negligible) break;
  }
  std::vector<double> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = a[k + k * n];
  return values;
}

/// tridiag(−1, 2, −1) summed over three directions, minus shift·I, on an n×n×n grid.
inline GeneralEntries laplacian(std::int64_t n, double shift) {
  GeneralEntries a{n * n * n, {}};
  const auto at = [n](std::int64_t x, std::int64_t y, std::int64_t z) { return x + n * (y + n * z); };
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t i = at(x, y, z);
        a(i, i) = 6.0 - shift;
        if (x + 1 < n) put(a, i, at(x + 1, y, z), -1.0);
        if (y + 1 < n) put(a, i, at(x, y + 1, z), -1.0);
        if (z + 1 < n) put(a, i, at(x, y, z + 1), -1.0);
      }
    }
  }
  return a;
}

/// Number of eigenvalues of laplacian(n, 0) below a value.
inline std::int64_t eigenvalues_below(std::int64_t n, double value) {
  std::vector<double> one;
  for (std::int64_t k = 1; k <= n; ++k)
    one.push_back(2.0 - 2.0 * std::cos(static_cast<double>(k) * std::acos(-1.0) / static_cast<double>(n + 1)));
  std::int64_t count = 0;
  for (const double x : one) {
    for (const double y : one) {
      for (const double z : one) count += x + y + z < value ? 1 : 0;
    }
  }
  return count;
}

/// [H Bᵀ; B 0] with a positive definite tridiagonal H of order n and `constraints` rows in B: its inertia is
/// (n, constraints, 0).
inline GeneralEntries saddle(std::int64_t n, std::int64_t constraints, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(0.5, 1.5);
  GeneralEntries a{n + constraints, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    a(i, i) = 2.0 + value(random);
    if (i > 0) put(a, i, i - 1, -value(random));
  }
  const std::int64_t step = n / constraints;
  for (std::int64_t c = 0; c < constraints; ++c) {  // Each constraint has a variable that no other one has.
    put(a, n + c, c * step, value(random));
    put(a, n + c, (c * step + step / 2 + 1) % n, 0.3 * value(random));
    a(n + c, n + c) = 0.0;
  }
  return a;
}

}  // namespace gpusupernodal::test::symmetric
