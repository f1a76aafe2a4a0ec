#pragma once

/// \file
/// What LDLᵀ must do on every backend.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/ldlt_problems.hpp"

namespace gpusupernodal::test::symmetric {

/// [p 1; 1 2] for p from 1 to zero, with refactorize: every solution is accurate, and the negative eigenvalue is counted.
/// `exact_unless_replaced`: the inertia is called exact wherever no pivot was replaced.
inline void expect_accurate_while_a_pivot_vanishes(Options options, bool exact_unless_replaced) {
  constexpr double smallest_pivot = 1e-300;
  constexpr double step = 1e-4;
  GeneralEntries a{2, {}};
  put(a, 0, 0, 1.0);
  put(a, 0, 1, 1.0);
  put(a, 1, 1, 2.0);
  StoredGeneral<double> stored = store_part<double>(a, StoredPart::lower);
  for (const Ordering ordering : {Ordering::automatic, Ordering::natural}) {
    options.ordering = ordering;
    Solver<double> solver(options);
    solver.analyze(view_of(stored, StoredPart::lower));
    const std::vector<double> b = {1.0, 3.0};
    for (double pivot = 1.0; pivot > smallest_pivot; pivot *= step) {
      a(0, 0) = stored.values[0] = pivot;
      solver.refactorize(stored.values);
      ASSERT_EQ(solver.status(), Status::success) << "the matrix is well conditioned";
      EXPECT_LE(general_backward_error(a, solved(solver, b), b), bound<double>(2)) << pivot;
      const FactorReport report = solver.factor_report();
      EXPECT_EQ(report.inertia.negative, pivot < 0.5 ? 1 : 0) << pivot;
      if (exact_unless_replaced) {
        EXPECT_EQ(report.inertia_exact, report.perturbed_pivots == 0) << pivot;
      }
    }
  }
}

/// Two grids of n × n without a fixed point: their null space has one vector each, and each has one null pivot among its own
/// rows. Without these rows the matrix is definite.
inline void expect_null_pivots_of_floating_grids(const Options& options, std::int64_t n) {
  GeneralEntries a{2 * n * n, {}};
  for (std::int64_t i = 0; i < a.n; ++i) {
    const std::int64_t x = i % n, y = i / n % n;
    for (const std::int64_t j : {x + 1 < n ? i + 1 : -1, y + 1 < n ? i + n : -1}) {
      if (j < 0) continue;
      put(a, i, j, -1.0);
      a(i, i) += 1.0;
      a(j, j) += 1.0;
    }
  }
  Solver<double> solver(options);
  compute(solver, a);
  ASSERT_EQ(solver.status(), Status::singular);
  const FactorReport report = solver.factor_report();
  EXPECT_EQ(report.inertia.positive, a.n - 2);
  EXPECT_EQ(report.inertia.negative, 0);
  EXPECT_EQ(report.inertia.zero, 2);
  EXPECT_FALSE(report.inertia_exact);
  ASSERT_EQ(report.null_pivots.size(), 2u);
  EXPECT_LT(report.null_pivots[0], n * n);
  EXPECT_GE(report.null_pivots[1], n * n);
  EXPECT_THROW(solved(solver, std::vector<double>(static_cast<std::size_t>(a.n), 1.0)), NumericalFailure);
  for (const std::int64_t i : report.null_pivots) a(i, i) += 1.0;
  compute(solver, a);
  ASSERT_EQ(solver.status(), Status::success);
  EXPECT_EQ(solver.factor_report().inertia.positive, a.n);
  EXPECT_TRUE(solver.factor_report().null_pivots.empty());
}

}  // namespace gpusupernodal::test::symmetric
