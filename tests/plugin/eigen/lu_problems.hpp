#pragma once

/// \file
/// Solves with GpuSupernodalLU, and their backward errors.

#include <gtest/gtest.h>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {

/// Solves with A and Aᵀ, for a dense and a sparse b, and compares the backward errors with the bound.
template <class Solver>
void expect_solves(const Solver& solver, const typename Solver::MatrixType& a) {
  using Scalar = typename Solver::Scalar;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
  const typename Solver::MatrixType transposed(a.transpose());
  const Dense b = random_dense<Scalar>(a.rows(), 3, 1);
  const Dense x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  const Dense y = solver.transpose().solve(b);
  EXPECT_SOLVES(transposed, y, b);
  const Dense z = solver.adjoint().solve(b);
  EXPECT_EQ((z - y).norm(), Scalar(0));

  const Eigen::SparseMatrix<Scalar> sparse = random_spd<Eigen::SparseMatrix<Scalar>>(static_cast<int>(a.rows()), 40, 2);
  Eigen::SparseMatrix<Scalar> answer = solver.solve(sparse);
  EXPECT_SOLVES(a, Dense(answer), Dense(sparse));
  answer = solver.transpose().solve(sparse);
  EXPECT_SOLVES(transposed, Dense(answer), Dense(sparse));
  Eigen::SparseVector<Scalar> column = solver.transpose().solve(Eigen::SparseVector<Scalar>(sparse.col(2)));
  EXPECT_SOLVES(transposed, Dense(column), Dense(sparse.col(2)));
}

}  // namespace gpusupernodal::test
