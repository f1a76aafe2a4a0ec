// Tests that calls in the wrong order fail an assertion as in Eigen; here assertions throw, so that tests can observe
// them.
#include <limits>
#include <stdexcept>
#define eigen_assert(condition) \
  if (!(condition)) throw std::logic_error(#condition)

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

/// Checks the assertions of a type when its phases are called in the wrong order.
template <class Solver>
void expect_assertions() {
  const Matrix a = laplacian(3);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(9);
  Eigen::VectorXd x(9);
  Solver solver;
  EXPECT_THROW(solver.info(), std::logic_error);
  EXPECT_THROW(solver.solve(b), std::logic_error);
  EXPECT_THROW(solver.compute(Matrix(3, 4)), std::logic_error);
  solver.analyzePattern(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_THROW(x = solver.solve(b), std::logic_error);
  EXPECT_THROW(solver.matrixL(), std::logic_error);
  solver.factorize(a);
  EXPECT_THROW(solver.solve(Eigen::VectorXd(8)), std::logic_error);
  x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenAssertions, EqualThoseOfSimplicialLLT) {
  expect_assertions<Eigen::SimplicialLLT<Matrix>>();
  expect_assertions<Eigen::GpuSupernodalLLT<Matrix>>();
}

/// Assertions of LU, which has logAbsDeterminant instead of matrixL.
template <class Solver>
void expect_assertions_of_lu() {
  const Matrix a = laplacian(3);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(9);
  Eigen::VectorXd x(9);
  // Eigen 3.4's SparseLU reads a flag that its constructor does not set; in static memory it is false.
  static Solver solver;
  EXPECT_THROW(solver.info(), std::logic_error);
  EXPECT_THROW(solver.solve(b), std::logic_error);
  EXPECT_THROW(solver.transpose().solve(b), std::logic_error);
  EXPECT_THROW(solver.absDeterminant(), std::logic_error);
  EXPECT_THROW(solver.logAbsDeterminant(), std::logic_error);
  solver.compute(a);
  EXPECT_THROW(solver.solve(Eigen::VectorXd(8)), std::logic_error);
  EXPECT_THROW(solver.transpose().solve(Eigen::VectorXd(8)), std::logic_error);
  x = solver.transpose().solve(b);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenAssertions, EqualThoseOfSparseLU) {
  expect_assertions_of_lu<Eigen::SparseLU<Matrix>>();
  expect_assertions_of_lu<Eigen::GpuSupernodalLU<Matrix>>();
  Eigen::GpuSupernodalLU<Matrix> solver;
  EXPECT_THROW(solver.factorize(laplacian(3)), std::logic_error);
  solver.analyzePattern(laplacian(3));
  EXPECT_THROW(Eigen::VectorXd(solver.transpose().solve(Eigen::VectorXd::Ones(9))), std::logic_error);
  EXPECT_THROW(solver.compute(Matrix(3, 4)), std::logic_error);
}

TEST(EigenAssertions, ConjugateGradientAsksForItsPhases) {
  const Matrix a = laplacian(3);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(9);
  Eigen::GpuSupernodalCG<Matrix> solver;
  EXPECT_THROW(solver.info(), std::logic_error);
  EXPECT_THROW(solver.iterations(), std::logic_error);
  EXPECT_THROW(solver.error(), std::logic_error);
  EXPECT_THROW(solver.solve(b), std::logic_error);
  EXPECT_THROW(solver.factorize(a), std::logic_error);
  EXPECT_THROW(solver.compute(Matrix(3, 4)), std::logic_error);
  solver.compute(a);
  EXPECT_THROW(solver.solve(Eigen::VectorXd(8)), std::logic_error);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  constexpr double rounding = 8 * 9 * std::numeric_limits<double>::epsilon();
  EXPECT_LE((b - a * x).norm(), (solver.error() + rounding) * b.norm());
}

TEST(EigenAssertions, FactorizeAsksForAnalyzePattern) {
  Eigen::GpuSupernodalLLT<Matrix> solver;
  EXPECT_THROW(solver.factorize(laplacian(3)), std::logic_error);
}

}  // namespace
}  // namespace gpusupernodal::test
