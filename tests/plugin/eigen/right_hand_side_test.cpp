// Tests of the forms of b and x: any dense expression, in any layout, with or without shared memory.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <complex>
#include <limits>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using RowMajorDense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class EigenRightHandSide : public testing::Test {
 protected:
  const Matrix a = laplacian(8);
  const Eigen::GpuSupernodalLLT<Matrix> solver{a};
  const Eigen::Index n = a.rows();
  const Eigen::MatrixXd b = random_dense(n, 4, 1);
  const Eigen::MatrixXd answer = Eigen::SimplicialLLT<Matrix>(a).solve(b);
  /// The matrix's condition number is below its order.
  const double bound = forward_error_bound<double>(n, static_cast<double>(n)) * answer.norm();
};

TEST_F(EigenRightHandSide, DenseInBothLayouts) {
  const Eigen::MatrixXd columns = solver.solve(b);
  EXPECT_LE((columns - answer).norm(), bound);
  const RowMajorDense rows = solver.solve(RowMajorDense(b));
  EXPECT_LE((rows - answer).norm(), bound);
  const Eigen::MatrixXd mixed = solver.solve(RowMajorDense(b));
  EXPECT_LE((mixed - answer).norm(), bound);
}

TEST_F(EigenRightHandSide, Expressions) {
  const Eigen::MatrixXd x = solver.solve(2.0 * b - b.rowwise().reverse());
  EXPECT_LE((x - (2.0 * answer - answer.rowwise().reverse())).norm(), 4 * bound);
  const Eigen::VectorXd y = a * answer.col(0) - solver.solve(b.col(1));
  EXPECT_LE((y - (b.col(0) - answer.col(1))).norm(), 4 * bound);
  const Eigen::VectorXd product = solver.solve(a * answer.col(2));
  EXPECT_LE((product - answer.col(2)).norm(), bound);
}

/// As with SimplicialLLT: no exception, and the other columns are solved.
TEST_F(EigenRightHandSide, NaNStaysInItsColumn) {
  Eigen::MatrixXd spoilt = b;
  spoilt(3, 1) = std::numeric_limits<double>::quiet_NaN();
  const Eigen::MatrixXd x = solver.solve(spoilt);
  EXPECT_TRUE(x.col(1).hasNaN());
  EXPECT_LE((x.col(0) - answer.col(0)).norm(), bound);
}

TEST_F(EigenRightHandSide, MapsWithStrides) {
  std::vector<double> in(static_cast<std::size_t>(3 * n + 7), 0.0);
  std::vector<double> out(in.size(), -5.0);
  using Strided = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<3>>;
  Strided(in.data(), n) = b.col(0);
  Strided x(out.data(), n);
  x = solver.solve(Strided(in.data(), n));
  EXPECT_LE((x - answer.col(0)).norm(), bound);
  EXPECT_EQ(out[1], -5.0);

  Eigen::MatrixXd tall = Eigen::MatrixXd::Constant(n + 9, 4, -5.0);
  tall.middleRows(4, n) = b;
  tall.middleRows(4, n) = solver.solve(tall.middleRows(4, n));
  EXPECT_LE((tall.middleRows(4, n) - answer).norm(), bound);
  EXPECT_TRUE((tall.topRows(4).array() == -5.0).all());
  EXPECT_TRUE((tall.bottomRows(5).array() == -5.0).all());
}

TEST_F(EigenRightHandSide, MayAliasTheSolution) {
  Eigen::MatrixXd x = b;
  x = solver.solve(x);
  EXPECT_LE((x - answer).norm(), bound);
  x = b;
  x = solver.solve(x.rowwise().reverse());
  EXPECT_LE((x - answer.rowwise().reverse()).norm(), bound);
  x = b;
  x.col(0) = solver.solve(x.col(0) + x.col(1));
  EXPECT_LE((x.col(0) - answer.col(0) - answer.col(1)).norm(), 2 * bound);

  // Shifted by one column: the solution's first columns overlap the last right-hand sides.
  Eigen::MatrixXd wide(n, 5);
  wide.rightCols(4) = b;
  wide.leftCols(4) = solver.solve(wide.rightCols(4));
  EXPECT_LE((wide.leftCols(4) - answer).norm(), bound);
}

TEST_F(EigenRightHandSide, FixedSizesAndRows) {
  const Eigen::Matrix<double, 64, 2> fixed = b.leftCols<2>();
  const Eigen::Matrix<double, 64, 2> x = solver.solve(fixed);
  EXPECT_LE((x - answer.leftCols<2>()).norm(), bound);
  RowMajorDense rows = b.transpose();
  rows.row(1) = solver.solve(rows.row(1).transpose()).transpose();
  EXPECT_LE((rows.row(1).transpose() - answer.col(1)).norm(), bound);
}

TEST_F(EigenRightHandSide, NoColumns) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(2, 2);
  x = solver.solve(Eigen::MatrixXd(n, 0));
  EXPECT_EQ(x.rows(), n);
  EXPECT_EQ(x.cols(), 0);
  const Matrix sparse = solver.solve(Matrix(n, 0));
  EXPECT_EQ(sparse.cols(), 0);
}

TEST_F(EigenRightHandSide, SparseVectorAndIdentity) {
  Eigen::SparseVector<double> e(n);
  e.insert(5) = 1.0;
  const Eigen::SparseVector<double> x = solver.solve(e);
  EXPECT_SOLVES(a, Eigen::VectorXd(x), Eigen::VectorXd(e));
  Matrix identity(n, n);
  identity.setIdentity();
  const Matrix inverse = solver.solve(identity);
  EXPECT_SOLVES(a, Eigen::MatrixXd(inverse), Eigen::MatrixXd(identity));
}

/// More columns than a portion holds, column- and row-major, into matrices of either order, whole and as a block.
TEST_F(EigenRightHandSide, SparseInBulk) {
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const Matrix many = Matrix(random_spd(static_cast<int>(n), 90, 9)).leftCols(n - 3);
  const Eigen::MatrixXd expected = solver.solve(many.toDense());
  Matrix x = solver.solve(many);
  EXPECT_TRUE(x.isCompressed());
  EXPECT_EQ((x.toDense() - expected).norm(), 0.0);
  const Rows by_rows = solver.solve(many);
  EXPECT_EQ((by_rows.toDense() - expected).norm(), 0.0);
  x = solver.solve(Rows(many));
  EXPECT_EQ((x.toDense() - expected).norm(), 0.0);
  x = solver.solve(many.middleCols(5, 20));
  EXPECT_LE((x.toDense() - expected.middleCols(5, 20)).norm(), bound);
  x = many;
  x = solver.solve(x);
  EXPECT_EQ((x.toDense() - expected).norm(), 0.0);
  x = solver.solve(2.0 * many + many);
  EXPECT_LE((x.toDense() - 3.0 * expected).norm(), 3 * bound * expected.norm() / answer.norm());
}

/// Zeros in the solutions for a reducible matrix are not stored; an indefinite matrix gives NaN.
TEST_F(EigenRightHandSide, SparseAnswersKeepTheirZeros) {
  Matrix identity(n, n);
  identity.setIdentity();
  Matrix diagonal = 4.0 * identity;
  const Eigen::GpuSupernodalLLT<Matrix> quarters(diagonal);
  const Matrix x = quarters.solve(identity);
  EXPECT_EQ(x.nonZeros(), n);
  EXPECT_EQ((x.toDense() - 0.25 * identity.toDense()).norm(), 0.0);
  const Eigen::GpuSupernodalLLT<Matrix> failed(-diagonal);
  const Matrix none = failed.solve(identity);
  EXPECT_TRUE(none.toDense().hasNaN());
}

TEST_F(EigenRightHandSide, BlocksOfOneMatrixAndMapsOfOneArray) {
  Eigen::MatrixXd wide = Eigen::MatrixXd::Constant(n, 6, -5.0);
  wide.rightCols(4) = b;
  wide.leftCols(2) = solver.solve(wide.rightCols(2));
  EXPECT_LE((wide.leftCols(2) - answer.rightCols(2)).norm(), bound);
  EXPECT_EQ((wide.rightCols(4) - b).norm(), 0.0);
  wide.col(3).noalias() = solver.solve(wide.col(2));
  EXPECT_LE((wide.col(3) - answer.col(0)).norm(), bound);

  // b and x overlap in all but one entry.
  std::vector<double> array(static_cast<std::size_t>(n) + 1, 0.0);
  Eigen::Map<Eigen::VectorXd>(array.data(), n) = b.col(1);
  Eigen::Map<Eigen::VectorXd>(array.data() + 1, n) = solver.solve(Eigen::Map<Eigen::VectorXd>(array.data(), n));
  EXPECT_LE((Eigen::Map<Eigen::VectorXd>(array.data() + 1, n) - answer.col(1)).norm(), bound);

  using Outer = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  std::vector<double> spaced(static_cast<std::size_t>(4 * (n + 5)), -5.0);
  Outer x(spaced.data(), n, 4, Eigen::OuterStride<>(n + 5));
  x = b;
  x = solver.solve(x);
  EXPECT_LE((x - answer).norm(), bound);
  EXPECT_EQ(spaced[static_cast<std::size_t>(n)], -5.0);
  RowMajorDense rows = RowMajorDense::Constant(n, 5, -5.0);
  rows.rightCols(4) = b;
  rows.leftCols(4) = solver.solve(rows.rightCols(4));
  EXPECT_LE((rows.leftCols(4) - answer).norm(), bound);
}

TEST_F(EigenRightHandSide, AnotherPrecisionOrComplex) {
  const Eigen::MatrixXf narrow = solver.solve(b.cast<float>());
  EXPECT_LE((narrow.cast<double>() - answer).norm(), forward_error_bound<float>(n, static_cast<double>(n)) * answer.norm());
  Eigen::MatrixXcd complex(n, 2);
  complex.real() = b.leftCols(2);
  complex.imag() = b.rightCols(2);
  const Eigen::MatrixXcd x = solver.solve(complex);
  EXPECT_LE((x.real() - answer.leftCols(2)).norm(), bound);
  EXPECT_LE((x.imag() - answer.rightCols(2)).norm(), bound);
}

}  // namespace
}  // namespace gpusupernodal::test
