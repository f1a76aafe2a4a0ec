#pragma once

/// \file
/// Solvers of test matrices on every backend, and checks of their results.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/backend/backends.hpp"
#include "tests/solver/plan/stored_matrix.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {

/// Rounds the values to T, so that the solver and the check see the same matrix.
template <class T>
io::SymmetricMatrix rounded(io::SymmetricMatrix a) {
  for (double& value : a.values) value = static_cast<double>(static_cast<T>(value));
  return a;
}

/// Stores the lower triangle by columns, in T.
template <class T>
StoredMatrix<T> stored(const io::SymmetricMatrix& a) {
  return store<T>(a, Form());
}

inline Options on(Backend backend) {
  Options options;
  options.backend = backend;
  options.threads = 2;
  return options;
}

/// Fixture of solver tests on every available backend.
template <class OnBackend>
class SolverTest : public ExecutorTest<OnBackend> {
 protected:
  static Options options() {
    Options options = on(OnBackend::backend);
    if (OnBackend::devices > 1) options.devices.assign(OnBackend::devices, 0);
    return options;
  }
};

template <class T>
std::vector<T> right_hand_side(std::int64_t n, std::int64_t columns = 1) {
  const std::vector<double> v = random_vector(n * columns, 21);
  return {v.begin(), v.end()};
}

template <class T>
std::vector<T> solution(Solver<T>& solver, const std::vector<T>& b, System part = System::a) {
  const std::int64_t n = solver.order();
  const std::int64_t columns = n > 0 ? static_cast<std::int64_t>(b.size()) / n : 1;
  std::vector<T> x(b.size());
  solver.solve(DenseView<const T>(b.data(), n, columns, n), DenseView<T>(x.data(), n, columns, n), part);
  return x;
}

/// Expects that a solve with `a` has a backward error within the bound.
template <class T>
void expect_solves(Solver<T>& solver, const io::SymmetricMatrix& a) {
  const std::vector<T> b = right_hand_side<T>(a.n);
  const std::vector<T> x = solution(solver, b);
  const double error = backward_error(a, {x.begin(), x.end()}, {b.begin(), b.end()});
  EXPECT_LE(error, backward_error_bound<T>(a.n));
}

/// Expects that the call throws an E whose message contains each of `parts`.
template <class E, class Call>
void expect_throw(Call call, const std::vector<std::string>& parts = {}) {
  try {
    call();
    FAIL() << "nothing thrown";
  } catch (const E& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "'" << part << "' in: " << error.what();
    }
    EXPECT_GT(error.line(), 0);
  } catch (const std::exception& error) {
    FAIL() << "another type: " << error.what();
  }
}

}  // namespace gpusupernodal::test
