#pragma once

/// \file
/// Common part of all conformance tests: factorize, solve, check the backward error.

#include <gtest/gtest.h>

#include <vector>

#include "tests/solver/backend/backends.hpp"
#include "tests/solver/backend/problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {

/// Solves for `columns` right-hand sides and expects each backward error within its bound.
template <class T>
void expect_solutions(const Problem<T>& problem, Executor<T>& executor, std::int64_t columns) {
  const std::int64_t n = problem.a.n;
  const std::vector<T> b = rounded<T>(random_vector(n * columns, static_cast<std::uint64_t>(n)));
  std::vector<T> x(b.size());
  executor.factorization().solve(SolveSteps(), DenseView<const T>(b.data(), n, columns, n),
                                 DenseView<T>(x.data(), n, columns, n));
  for (std::int64_t c = 0; c < columns; ++c) {
    const double error =
        backward_error(problem.a, widened(x.data() + c * n, problem.order()), widened(b.data() + c * n, problem.order()));
    ASSERT_LE(error, backward_error_bound<T>(n)) << problem.a.name << ", right-hand side " << c << " of " << columns;
  }
}

/// Factorizes `problem` and expects solves within the bound. NaN in the backward error fails too.
template <class T>
void expect_factor_that_solves(const Problem<T>& problem, Executor<T>& executor, std::int64_t columns) {
  executor.factorization().factorize(problem.input());
  ASSERT_EQ(executor.factorization().outcome().status, Status::success) << problem.a.name;
  expect_solutions(problem, executor, columns);
}

}  // namespace gpusupernodal::test
