#pragma once

/// \file
/// A solver's life, for tests that repeat it.

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// Makes a solver, computes, solves one and five right-hand sides, and destroys it.
inline void one_cycle(Options options, const io::SymmetricMatrix& a, const StoredMatrix<double>& stored) {
  Solver<double> solver(std::move(options));
  solver.compute(stored.view());
  expect_solves(solver, a);
  static_cast<void>(solution(solver, right_hand_side<double>(a.n, 5)));
}

}  // namespace gpusupernodal::test
