#pragma once

/// \file
/// General matrices and solves for the tests of LU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "tests/support/general_entries.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {

/// Programs that test one schedule define GPUSUPERNODAL_TEST_LU_SCHEDULE.
inline Options lu_options(int threads = 2) {
  Options options;
#ifdef GPUSUPERNODAL_TEST_LU_SCHEDULE
  options.lu_schedule = LuSchedule::GPUSUPERNODAL_TEST_LU_SCHEDULE;
  options.backend = Backend::host;
#else
  options.lu_schedule = LuSchedule::supernodes;
#endif
  options.form = gpusupernodal::Form::lu;
  options.threads = threads;
  return options;
}

/// LU on dense storage exchanges rows in each factorization, so tests of what happens without it skip it.
inline bool always_exchanges_rows() { return lu_options().lu_schedule == LuSchedule::dense; }

/// 100·sqrt(n)·eps: what solves with a doubtful factor have to reach, and what others stay below.
template <class T>
double bound(std::int64_t n) {
  return 100.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) *
         static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// 1000·n·eps: how far two double factorizations of one well-conditioned matrix may be apart in log|det A|, the sum of n
/// logarithms of pivots. Each has an absolute error of c·eps, where c grows with the condition of the leading submatrices.
inline double log_determinant_bound(std::int64_t n) {
  return 1000.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
}

template <class T>
std::vector<T> vector_of(std::int64_t n, std::uint64_t seed) {
  const std::vector<double> v = random_vector(n, seed);
  return {v.begin(), v.end()};
}

template <class T>
std::vector<T> solve(Solver<T>& solver, const std::vector<T>& b, System part = System::a) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = n > 0 ? static_cast<std::int64_t>(b.size()) / n : 1;
  std::vector<T> x(b.size());
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n), part);
  return x;
}

/// Solves with A and Aᵀ and compares the backward errors with the bound.
template <class T>
void expect_solves(Solver<T>& solver, const GeneralEntries& a, const std::string& what) {
  ASSERT_EQ(solver.status(), Status::success) << what;
  const std::vector<T> b = vector_of<T>(a.n, 5);
  EXPECT_LE(general_backward_error(a, solve(solver, b), b), bound<T>(a.n)) << what;
  EXPECT_LE(general_backward_error(a, solve(solver, b, System::transposed), b, true), bound<T>(a.n))
      << what << ", transposed";
}

/// Convection and diffusion on an n×n×n grid: supernodes of all widths.
inline GeneralEntries convection(std::int64_t n, double wind) {
  GeneralEntries a{n * n * n, {}};
  const auto at = [n](std::int64_t x, std::int64_t y, std::int64_t z) { return x + n * (y + n * z); };
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t i = at(x, y, z);
        a(i, i) = 6.0;
        if (x > 0) a(i, at(x - 1, y, z)) = -1.0 - wind;
        if (x + 1 < n) a(i, at(x + 1, y, z)) = -1.0 + wind;
        if (y > 0) a(i, at(x, y - 1, z)) = -1.0 - wind / 2;
        if (y + 1 < n) a(i, at(x, y + 1, z)) = -1.0 + wind / 2;
        if (z > 0) a(i, at(x, y, z - 1)) = -1.0;
        if (z + 1 < n) a(i, at(x, y, z + 1)) = -1.0;
      }
    }
  }
  return a;
}

}  // namespace gpusupernodal::test
