// Tests of permutation, factor, determinant and shift, with the semantics of SimplicialLLT.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <sstream>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

/// With an ordering functor, P and L equal those of SimplicialLLT.
template <class Ordering>
void expect_same_factor() {
  for (const Matrix& a : {random_spd(80, 160, 1), laplacian(7), random_spd(50, 0, 2)}) {
    const Eigen::SimplicialLLT<Matrix, Eigen::Lower, Ordering> reference(a);
    const Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Ordering> solver(a);
    if (reference.permutationP().size() > 0) {
      EXPECT_TRUE((solver.permutationP().indices().array() == reference.permutationP().indices().array()).all());
    } else {
      const Eigen::VectorXi identity = Eigen::VectorXi::LinSpaced(a.rows(), 0, static_cast<int>(a.rows()) - 1);
      EXPECT_TRUE((solver.permutationP().indices().array() == identity.array()).all());
    }
    const Eigen::MatrixXd expected(reference.matrixL());
    const Eigen::MatrixXd l(solver.matrixL());
    const double bound = backward_error_bound<double>(a.rows()) * static_cast<double>(a.rows());
    EXPECT_LE((l - expected).cwiseAbs().maxCoeff(), bound * expected.cwiseAbs().maxCoeff());
  }
}

TEST(EigenFactor, EqualsThatOfSimplicialLLTForItsOrderings) {
  expect_same_factor<Eigen::AMDOrdering<int>>();
  expect_same_factor<Eigen::NaturalOrdering<int>>();
}

/// Rows 3, 4 and 20 come last in P, and L is the factor of P A Pᵀ.
template <class Ordering>
void expect_last_rows() {
  const Matrix a = laplacian(6);
  Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Ordering> solver;
  for (const gpusupernodal::Ordering ordering : {gpusupernodal::Ordering::natural, gpusupernodal::Ordering::automatic}) {
    solver.options().ordering = ordering;
    solver.options().last_rows = {{20, 4, 3}};
    solver.compute(a);
    ASSERT_EQ(solver.info(), Eigen::Success);
    for (const int row : {3, 4, 20}) EXPECT_GE(solver.permutationP().indices()[row], 33);
    const Eigen::MatrixXd l(solver.matrixL());
    const Eigen::MatrixXd permuted = solver.permutationP() * Eigen::MatrixXd(a) * solver.permutationPinv();
    EXPECT_LE((l * l.transpose() - permuted).cwiseAbs().maxCoeff(), backward_error_bound<double>(36) * 8);
  }
}

TEST(EigenFactor, RowsAreEliminatedLast) {
  expect_last_rows<gpusupernodal::AutoOrdering>();
  expect_last_rows<Eigen::NaturalOrdering<int>>();
}

/// An ordering functor does not know the last rows.
TEST(EigenFactor, RefusesAFunctorOrderWithoutTheLastRows) {
  Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>> solver;
  const Matrix a = laplacian(6);
  solver.options().last_rows = {{0}, {35}, {17}};
  EXPECT_THROW(solver.compute(a), gpusupernodal::InvalidInput);
}

TEST(EigenFactor, PermutationsAreInverseToEachOther) {
  const Matrix a = laplacian(9);
  const Eigen::GpuSupernodalLLT<Matrix> solver(a);
  const Eigen::VectorXd x = random_dense(a.rows(), 1, 4);
  const Eigen::VectorXd permuted_back = solver.permutationPinv() * (solver.permutationP() * x);
  EXPECT_EQ((permuted_back - x).norm(), 0.0);
}

TEST(EigenFactor, SolvesAndMultipliesByParts) {
  const Matrix a = laplacian(9);
  const Eigen::GpuSupernodalLLT<Matrix> solver(a);
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 5);
  Eigen::VectorXd x = solver.permutationP() * b;
  solver.matrixL().solveInPlace(x);
  const Eigen::VectorXd half = solver.matrixL().solve(solver.permutationP() * b);
  EXPECT_EQ((half - x).norm(), 0.0);
  solver.matrixU().solveInPlace(x);
  x = solver.permutationPinv() * x;
  EXPECT_SOLVES(a, x, b);
  const Eigen::VectorXd product =
      solver.permutationPinv() * (solver.matrixL() * (solver.matrixU() * (solver.permutationP() * x)));
  EXPECT_LE((product - a * x).norm(), backward_error_bound<double>(a.rows()) * 8 * x.norm());
}

TEST(EigenFactor, IsRebuiltAfterNewValues) {
  const Matrix a = laplacian(5);
  Eigen::GpuSupernodalLLT<Matrix> solver(a);
  const Eigen::MatrixXd first(solver.matrixL());
  solver.factorize(4.0 * a);
  const Eigen::MatrixXd second(solver.matrixL());
  EXPECT_LE((second - 2.0 * first).cwiseAbs().maxCoeff(), backward_error_bound<double>(a.rows()) * 4);
}

TEST(EigenFactor, LogDeterminantIsFiniteIfTheDeterminantOverflows) {
  const Matrix a = 1e30 * random_spd(40, 0, 1);
  const Eigen::GpuSupernodalLLT<Matrix> solver(a);
  EXPECT_TRUE(std::isinf(solver.determinant()));
  const double expected = 40 * 30 * std::log(10.0);
  EXPECT_NEAR(solver.logDeterminant(), expected, backward_error_bound<double>(a.rows()) * expected);
}

TEST(EigenShift, ChangesTheDiagonalOnly) {
  const Matrix a = random_spd(60, 120, 7);
  const Eigen::VectorXd b = random_dense(60, 1, 8);
  for (const auto& [offset, scale] : {std::pair(0.5, 1.0), std::pair(0.0, 3.0), std::pair(0.25, 2.0)}) {
    Eigen::SimplicialLLT<Matrix> reference;
    const Eigen::VectorXd expected = reference.setShift(offset, scale).compute(a).solve(b);
    Eigen::GpuSupernodalLLT<Matrix> solver;
    const Eigen::VectorXd x = solver.setShift(offset, scale).compute(a).solve(b);
    Matrix shifted = a;
    for (Eigen::Index i = 0; i < 60; ++i) shifted.coeffRef(i, i) = offset + scale * shifted.coeff(i, i);
    EXPECT_SOLVES(shifted, x, b);
    EXPECT_SOLVES(shifted, expected, b);
    EXPECT_EQ(solver.report().factor.shift, offset);
    solver.setShift(0).factorize(a);
    const Eigen::VectorXd again = solver.solve(b);
    EXPECT_SOLVES(a, again, b);
  }
}

TEST(EigenColamd, ReducesFill) {
  const Matrix a = laplacian(20);
  const Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Eigen::COLAMDOrdering<int>> solver(a);
  const Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> natural(a);
  EXPECT_LT(Matrix(solver.matrixL()).nonZeros(), Matrix(natural.matrixL()).nonZeros());
}

TEST(EigenFactor, DumpMemoryPrintsATotal) {
  Eigen::GpuSupernodalLLT<Matrix> solver(laplacian(5));
  std::ostringstream out;
  solver.dumpMemory(out);
  EXPECT_NE(out.str().find("TOTAL:"), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::test
