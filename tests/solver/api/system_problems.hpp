#pragma once

/// \file
/// Solves for the tests of SystemSolver.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpusupernodal/system_solver.hpp"
#include "tests/solver/api/pcg_problems.hpp"

namespace gpusupernodal::test::system {

using pcg::chain;
using pcg::diagonal;
using pcg::norm;
using pcg::random_side;
using pcg::residual;
using pcg::Stored;

inline SystemOptions with(Method method, std::int64_t solves = 1) {
  SystemOptions options;
  options.method = method;
  options.expected_solves = solves;
  options.backend = Backend::host;
  options.threads = 2;
  return options;
}

template <class T>
SystemReport solve(SystemSolver<T>& system, const std::vector<T>& b, std::vector<T>& x) {
  const std::int64_t n = system.order();
  const std::int64_t columns = n == 0 ? 1 : static_cast<std::int64_t>(b.size()) / n;
  x.assign(b.size(), T(-7));
  return system.solve(DenseView<const T>(b.data(), n, columns, std::max<std::int64_t>(n, 1)),
                      DenseView<T>(x.data(), n, columns, std::max<std::int64_t>(n, 1)));
}

/// tridiag(−1, 2, −1): many iterations, a cheap factor.
inline io::SymmetricMatrix hard_chain(std::int64_t n) { return chain(n, 2.0, 2.0); }

}  // namespace gpusupernodal::test::system
