// Tests of the forms of A: the half that is read, compressed or not, maps, blocks, references and expressions.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <limits>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Llt = Eigen::GpuSupernodalLLT<Matrix>;

/// Computes with `input`, a form of `a`, and checks a solution.
template <class Solver = Llt, class Input>
void expect_reads(const Matrix& a, const Input& input) {
  const Eigen::VectorXd b = random_dense(a.rows(), 1, 3);
  Solver solver;
  solver.compute(input);
  ASSERT_EQ(solver.info(), Eigen::Success);
  Eigen::VectorXd x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  solver.analyzePattern(input);
  solver.factorize(input);
  x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenMatrixInput, OtherHalfIsNotRead) {
  const Matrix a = laplacian(6);
  Matrix poisoned = a;
  const auto poison = [&](bool lower) {
    poisoned = a;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      for (Matrix::InnerIterator it(poisoned, j); it; ++it) {
        if (lower ? it.row() > it.col() : it.row() < it.col()) {
          it.valueRef() = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  };
  poison(false);
  expect_reads<Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower>>(a, poisoned);
  poison(true);
  expect_reads<Eigen::GpuSupernodalLLT<Matrix, Eigen::Upper>>(a, poisoned);
}

TEST(EigenMatrixInput, OtherHalfMayHaveAnotherPattern) {
  const Matrix a = random_spd(40, 80, 5);
  const Matrix strange =
      Matrix(a.triangularView<Eigen::Lower>()) + Matrix(random_spd(40, 90, 6).triangularView<Eigen::StrictlyUpper>());
  expect_reads(a, strange);
}

TEST(EigenMatrixInput, UncompressedMatrix) {
  const Matrix a = random_spd(60, 120, 8);
  Matrix loose = a;
  loose.reserve(Eigen::VectorXi::Constant(60, 3));
  ASSERT_FALSE(loose.isCompressed());
  expect_reads(a, loose);
}

TEST(EigenMatrixInput, MapsAndReferences) {
  const Matrix a = random_spd(60, 120, 9);
  const Eigen::Map<const Matrix> map(a.rows(), a.cols(), a.nonZeros(), a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr());
  expect_reads(a, map);
  const Eigen::Ref<const Matrix> reference(a);
  expect_reads(a, reference);
  expect_reads<Eigen::GpuSupernodalLLT<Eigen::Map<const Matrix>>>(a, map);
}

TEST(EigenMatrixInput, BlocksOfColumns) {
  const Matrix a = random_spd(30, 60, 10);
  Matrix wide(30, 90);
  wide.middleCols(30, 30) = a;
  wide.makeCompressed();
  expect_reads(a, wide.middleCols(30, 30));
  Matrix both(60, 60);
  both.middleCols(30, 30) = wide.middleCols(0, 60).transpose();
  expect_reads(a, both.block(30, 30, 30, 30));
}

TEST(EigenMatrixInput, Expressions) {
  const Matrix a = random_spd(30, 60, 11);
  Matrix identity(30, 30);
  identity.setIdentity();
  expect_reads(2.0 * a + identity, 2.0 * a + identity);
  expect_reads(a, a.transpose());
  expect_reads(a, a.triangularView<Eigen::Lower>());
  expect_reads(a, Matrix(a.triangularView<Eigen::Lower>()).selfadjointView<Eigen::Lower>());
  expect_reads<Eigen::GpuSupernodalLLT<Matrix, Eigen::Upper>>(a, a.triangularView<Eigen::Upper>());
  const Matrix factor = random_spd(30, 40, 12);
  expect_reads(factor * factor.transpose(), factor * factor.transpose());
  const Llt constructed(0.5 * (a + a));
  const Eigen::VectorXd b = random_dense(30, 1, 14);
  const Eigen::VectorXd x = constructed.solve(b);
  EXPECT_SOLVES(a, x, b);
}

TEST(EigenMatrixInput, OtherStorageOrdersAndIndexTypes) {
  const Matrix a = random_spd(30, 60, 13);
  expect_reads(a, Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>(a));
  expect_reads(a, Eigen::SparseMatrix<double, Eigen::ColMajor, short>(a));
}

TEST(EigenMatrixInput, OrderZero) {
  const Matrix a(0, 0);
  Llt solver(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_EQ(solver.rows(), 0);
  EXPECT_EQ(solver.determinant(), 1.0);
  const Eigen::VectorXd x = solver.solve(Eigen::VectorXd(0));
  EXPECT_EQ(x.size(), 0);
  const Eigen::MatrixXd many = solver.solve(Eigen::MatrixXd(0, 3));
  EXPECT_EQ(many.cols(), 3);
  EXPECT_EQ(Matrix(solver.matrixL()).rows(), 0);
  Eigen::GpuSupernodalLLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>> ordered(a);
  EXPECT_EQ(ordered.info(), Eigen::Success);
}

}  // namespace
}  // namespace gpusupernodal::test
