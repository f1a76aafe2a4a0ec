/// \file
/// GpuSupernodalLLT and GpuSupernodalLU of complex matrices.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

template <class Scalar>
class EigenComplex : public ::testing::Test {};
using Scalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(EigenComplex, Scalars);

using Wide = Eigen::SparseMatrix<std::complex<double>>;
using WideDense = Eigen::MatrixXcd;

/// max over columns of ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), and its bound 4·n·eps.
template <class Scalar>
void expect_small_error(const Wide& a, const WideDense& x, const WideDense& b) {
  const WideDense residual = b - a * x;
  const double norm = (a.cwiseAbs() * Eigen::VectorXd::Ones(a.cols())).maxCoeff();
  const double bound = backward_error_bound<typename Eigen::NumTraits<Scalar>::Real>(static_cast<Eigen::Index>(a.rows()));
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    const double scale = norm * x.col(j).cwiseAbs().maxCoeff() + b.col(j).cwiseAbs().maxCoeff();
    EXPECT_LE(residual.col(j).cwiseAbs().maxCoeff(), bound * scale) << "column " << j;
  }
}

/// D* A D for random directions D.
template <class Scalar>
Eigen::SparseMatrix<Scalar> with_phases(const Eigen::SparseMatrix<double>& a) {
  using Real = typename Eigen::NumTraits<Scalar>::Real;
  const Eigen::VectorXd angles = random_dense(a.rows(), 1, 5) * 3.0;
  Eigen::SparseMatrix<Scalar> result = a.cast<Scalar>();
  for (Eigen::Index j = 0; j < result.outerSize(); ++j) {
    for (typename Eigen::SparseMatrix<Scalar>::InnerIterator it(result, j); it; ++it) {
      if (it.row() == it.col()) continue;
      it.valueRef() *= std::polar(Real(1), static_cast<Real>(angles[it.row()] - angles[it.col()]));
    }
  }
  return result;
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> complex_dense(Eigen::Index rows, Eigen::Index columns) {
  const Eigen::MatrixXcd wide = random_dense(rows, columns, 1).cast<std::complex<double>>() +
                                std::complex<double>(0, 1) * random_dense(rows, columns, 2).cast<std::complex<double>>();
  return wide.cast<Scalar>();
}

template <class Scalar, int UpLo, int Order>
void expect_cholesky(const Eigen::SparseMatrix<Scalar>& a) {
  using Matrix = Eigen::SparseMatrix<Scalar, Order>;
  const Matrix half = UpLo == Eigen::Lower   ? Matrix(a.template triangularView<Eigen::Lower>())
                      : UpLo == Eigen::Upper ? Matrix(a.template triangularView<Eigen::Upper>())
                                             : Matrix(a);
  const Eigen::GpuSupernodalLLT<Matrix, UpLo> solver(half);
  ASSERT_EQ(solver.info(), Eigen::Success);
  const auto b = complex_dense<Scalar>(a.rows(), 3);
  const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> x = solver.solve(b);
  expect_small_error<Scalar>(a.template cast<std::complex<double>>(), x.template cast<std::complex<double>>(),
                             b.template cast<std::complex<double>>());
  const Eigen::SparseMatrix<Scalar> l(solver.matrixL());
  const Eigen::SparseMatrix<Scalar> product =
      solver.permutationPinv() * Eigen::SparseMatrix<Scalar>(l * l.adjoint()) * solver.permutationP();
  using Real = typename Eigen::NumTraits<Scalar>::Real;
  EXPECT_LE(Eigen::SparseMatrix<Scalar>(product - a).norm(),
            static_cast<Real>(backward_error_bound<Real>(a.rows())) * a.norm());
}

TYPED_TEST(EigenComplex, CholeskyReadsEveryHalfAndOrder) {
  for (const auto& real : {laplacian(7), random_spd(60, 150, 3)}) {
    const Eigen::SparseMatrix<TypeParam> a = with_phases<TypeParam>(real);
    expect_cholesky<TypeParam, Eigen::Lower, Eigen::ColMajor>(a);
    expect_cholesky<TypeParam, Eigen::Lower, Eigen::RowMajor>(a);
    expect_cholesky<TypeParam, Eigen::Upper, Eigen::ColMajor>(a);
    expect_cholesky<TypeParam, Eigen::Upper, Eigen::RowMajor>(a);
    expect_cholesky<TypeParam, Eigen::Lower | Eigen::Upper, Eigen::ColMajor>(a);
  }
}

TYPED_TEST(EigenComplex, LuSolvesWithTheMatrixItsTransposeAndItsAdjoint) {
  using Dense = Eigen::Matrix<TypeParam, Eigen::Dynamic, Eigen::Dynamic>;
  for (const int shift : {0, 1}) {
    const Eigen::SparseMatrix<TypeParam> a = with_phases<TypeParam>(random_general(80, 3, 4, shift));
    const Eigen::GpuSupernodalLU<Eigen::SparseMatrix<TypeParam>> solver(a);
    ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
    const Wide wide = a.template cast<std::complex<double>>();
    const Dense b = complex_dense<TypeParam>(a.rows(), 3);
    const WideDense wide_b = b.template cast<std::complex<double>>();
    expect_small_error<TypeParam>(wide, Dense(solver.solve(b)).template cast<std::complex<double>>(), wide_b);
    expect_small_error<TypeParam>(wide.transpose(), Dense(solver.transpose().solve(b)).template cast<std::complex<double>>(),
                                  wide_b);
    expect_small_error<TypeParam>(wide.adjoint(), Dense(solver.adjoint().solve(b)).template cast<std::complex<double>>(),
                                  wide_b);
    Eigen::SparseMatrix<TypeParam> sparse(a.rows(), 20);
    for (int j = 0; j < 20; ++j) sparse.insert(3 * j, j) = TypeParam(1, 2);
    const Eigen::SparseMatrix<TypeParam> answer = solver.adjoint().solve(sparse);
    expect_small_error<TypeParam>(wide.adjoint(), WideDense(answer.template cast<std::complex<double>>()),
                                  WideDense(sparse.template cast<std::complex<double>>()));
  }
}

TEST(EigenComplexInput, TakesOtherPrecisionsAndRealMatrices) {
  const Eigen::SparseMatrix<std::complex<double>> a = with_phases<std::complex<double>>(laplacian(6));
  Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<std::complex<float>>, Eigen::Upper> narrow;
  narrow.compute(a);
  ASSERT_EQ(narrow.info(), Eigen::Success);
  const Eigen::MatrixXcd b = complex_dense<std::complex<double>>(a.rows(), 2);
  expect_small_error<float>(a, narrow.solve(b), b);
  const Eigen::SparseMatrix<double> real = laplacian(6);
  Eigen::GpuSupernodalLU<Eigen::SparseMatrix<std::complex<double>>> lu;
  lu.compute(real);
  expect_small_error<double>(real.cast<std::complex<double>>(), lu.solve(b), b);
}

TEST(EigenComplexOutcome, TellsSingularMatricesAndDeterminants) {
  Eigen::SparseMatrix<std::complex<double>> a(2, 2);
  a.insert(0, 0) = {1.0, 1.0};
  a.insert(0, 1) = {2.0, 0.0};
  a.insert(1, 0) = {0.0, 1.0};
  a.insert(1, 1) = {1.0, 1.0};
  a.coeffRef(1, 0) = a.coeff(0, 0) * std::complex<double>(0, 0.5);  // Row 1 is a multiple of row 0.
  a.coeffRef(1, 1) = a.coeff(0, 1) * std::complex<double>(0, 0.5);
  Eigen::GpuSupernodalLU<Eigen::SparseMatrix<std::complex<double>>> lu(a);
  EXPECT_EQ(lu.info(), Eigen::NumericalIssue);
  EXPECT_NE(lu.lastErrorMessage().find("singular"), std::string::npos);
  a.coeffRef(1, 1) = {0.0, 3.0};
  lu.compute(a);
  ASSERT_EQ(lu.info(), Eigen::Success);
  const std::complex<double> exact = Eigen::MatrixXcd(a).determinant();
  EXPECT_NEAR(lu.absDeterminant().real(), std::abs(exact), backward_error_bound<double>(a.rows()) * std::abs(exact));
}

}  // namespace
}  // namespace gpusupernodal::test
