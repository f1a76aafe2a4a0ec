// Tests of GpuSupernodalLDLT beside SimplicialLDLT: indefinite systems, inertia, D, shifts, failures.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <complex>
#include <utility>

#include "gpusupernodal/eigen.hpp"
#include "tests/plugin/eigen/problems.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Ldlt = Eigen::GpuSupernodalLDLT<Matrix>;

/// An SPD matrix with some negated diagonal entries. It is diagonally dominant, so it has as many negative eigenvalues as
/// negative diagonal entries.
template <class Sparse>
Sparse indefinite(int n, unsigned seed) {
  using Scalar = typename Sparse::Scalar;
  Sparse a = random_spd<Sparse>(n, 4 * n, seed);
  for (int i = 0; i < n; i += 3) a.coeffRef(i, i) = -a.coeff(i, i) - Scalar(1);
  return a;
}

/// The 5-point Laplacian on a grid of n × n, whose eigenvalues are known.
Matrix laplacian(int n) {
  Matrix a(n * n, n * n);
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const int i = x + n * y;
      a.insert(i, i) = 4.0;
      if (x + 1 < n) a.insert(i + 1, i) = a.insert(i, i + 1) = -1.0;
      if (y + 1 < n) a.insert(i + n, i) = a.insert(i, i + n) = -1.0;
    }
  }
  a.makeCompressed();
  return a;
}

template <class Sparse, int UpLo, class Ordering>
void expect_solves_indefinite() {
  using Scalar = typename Sparse::Scalar;
  const Sparse a = indefinite<Sparse>(80, 3);
  Sparse half = a.template triangularView < (UpLo & Eigen::Lower) != 0 ? Eigen::Lower : Eigen::Upper > ();
  const Eigen::GpuSupernodalLDLT<Sparse, UpLo, Ordering> solver(half);
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  const Dense b = random_dense<Scalar>(80, 3, 4);
  const Dense x = solver.solve(b);
  EXPECT_SOLVES(a, x, b);
  EXPECT_EQ(solver.inertia().negative, 27);
  EXPECT_EQ(solver.inertia().positive, 53);
  EXPECT_TRUE(solver.inertiaIsExact());
}

TEST(EigenLdlt, SolvesForAllScalarsIndicesHalvesAndOrderings) {
  expect_solves_indefinite<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AutoOrdering>();
  expect_solves_indefinite<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::AMDOrdering<int>>();
  expect_solves_indefinite<Eigen::SparseMatrix<double, Eigen::RowMajor>, Eigen::Lower, Eigen::NaturalOrdering<int>>();
  expect_solves_indefinite<Eigen::SparseMatrix<float, Eigen::ColMajor, std::int64_t>, Eigen::Upper, Eigen::AutoOrdering>();
}

/// A Hermitian or symmetric complex matrix, diagonally dominant, with some negated diagonal entries.
template <class Scalar>
Eigen::SparseMatrix<Scalar> complex_indefinite(int n, bool symmetric) {
  const auto real = indefinite<Eigen::SparseMatrix<double>>(n, 3);
  Eigen::SparseMatrix<Scalar> a = real.cast<Scalar>();
  for (int j = 0; j < a.outerSize(); ++j) {
    for (typename Eigen::SparseMatrix<Scalar>::InnerIterator entry(a, j); entry; ++entry) {
      if (entry.row() == entry.col()) continue;
      const Scalar turned =
          entry.value() * std::polar<typename Scalar::value_type>(1, static_cast<typename Scalar::value_type>(0.7));
      entry.valueRef() = symmetric || entry.row() > j ? turned : std::conj(turned);
    }
  }
  return a;
}

template <class Scalar>
void expect_solves_complex() {
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  for (const Symmetry symmetry : {Symmetry::hermitian, Symmetry::symmetric}) {
    const auto a = complex_indefinite<Scalar>(80, symmetry == Symmetry::symmetric);
    Eigen::GpuSupernodalLDLT<Eigen::SparseMatrix<Scalar>> solver;
    solver.options().symmetry = symmetry;
    solver.compute(a);
    ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
    const Dense b = Dense::Random(80, 3);
    const Dense x = solver.solve(b);
    const double error = (b - a * x).cwiseAbs().maxCoeff();
    const double scale = (Dense(a).cwiseAbs().rowwise().sum().maxCoeff()) * x.cwiseAbs().maxCoeff() + 1.0;
    EXPECT_LE(error / scale, backward_error_bound<typename Scalar::value_type>(80));
    EXPECT_EQ(solver.inertia().negative, symmetry == Symmetry::hermitian ? 27 : 0);
    EXPECT_TRUE(std::isfinite(solver.logAbsDeterminant()));
  }
}

TEST(EigenLdlt, SolvesComplexMatricesOfBothSymmetries) {
  expect_solves_complex<std::complex<float>>();
  expect_solves_complex<std::complex<double>>();
}

TEST(EigenLdlt, AgreesWithSimplicialLdltForHermitianMatrices) {
  const auto a = complex_indefinite<std::complex<double>>(60, false);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<std::complex<double>>> reference(a);
  const Eigen::GpuSupernodalLDLT<Eigen::SparseMatrix<std::complex<double>>> solver(a);
  ASSERT_EQ(solver.info(), reference.info());
  const double bound = backward_error_bound<double>(a.rows()) * static_cast<double>(a.rows());
  EXPECT_NEAR(std::abs(solver.determinant() / reference.determinant() - 1.0), 0.0, bound);
}

TEST(EigenLdlt, AgreesWithSimplicialLdlt) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Matrix a = indefinite<Matrix>(4 + 3 * static_cast<int>(seed), seed);
    const Eigen::SimplicialLDLT<Matrix> reference(a);
    const Ldlt solver(a);
    ASSERT_EQ(solver.info(), reference.info());
    const Eigen::VectorXd b = random_dense(a.rows(), 1, seed);
    const Eigen::VectorXd x = solver.solve(b);
    EXPECT_SOLVES(a, x, b) << seed;
    const double expected = reference.determinant();
    const double bound = backward_error_bound<double>(a.rows()) * static_cast<double>(a.rows());
    EXPECT_NEAR(solver.determinant() / expected, 1.0, bound) << seed;
    EXPECT_NEAR(solver.logAbsDeterminant(), std::log(std::abs(expected)), bound) << seed;
  }
}

/// [0 1; 1 0] has no pivot of order 1; its D is the matrix itself.
TEST(EigenLdlt, ReturnsPivotsOfOrderTwo) {
  Matrix a(2, 2);
  a.insert(0, 1) = a.insert(1, 0) = 3.0;
  const Ldlt solver(a);
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();
  EXPECT_EQ(solver.vectorD(), Eigen::Vector2d(0, 0));
  EXPECT_EQ(solver.vectorDSubdiagonal(), Eigen::Vector2d(3, 0));
  EXPECT_NEAR(solver.determinant(), -9.0, 9.0 * backward_error_bound<double>(2));
  EXPECT_EQ(solver.inertia().positive, 1);
  EXPECT_EQ(solver.inertia().negative, 1);
}

/// The eigenvalues are 4 − 2cos(iπ/(n+1)) − 2cos(jπ/(n+1)).
TEST(EigenLdlt, CountsEigenvaluesBelowAShift) {
  constexpr int n = 12;
  constexpr double pi = 3.14159265358979323846;
  Ldlt solver;
  const Matrix a = laplacian(n);
  solver.analyzePattern(a);
  for (const double shift : {0.5, 2.0, 3.9, 6.1, 7.9}) {
    int below = 0;
    for (int i = 1; i <= n; ++i) {
      for (int j = 1; j <= n; ++j) {
        if (4.0 - 2.0 * std::cos(i * pi / (n + 1)) - 2.0 * std::cos(j * pi / (n + 1)) < shift) ++below;
      }
    }
    solver.setShift(-shift).factorize(a);
    ASSERT_EQ(solver.info(), Eigen::Success) << shift << solver.lastErrorMessage();
    EXPECT_EQ(solver.inertia().negative, below) << shift;
  }
}

TEST(EigenLdlt, FailuresAreNumericalIssuesAndTheNextMatrixWorks) {
  Matrix singular = laplacian(4);
  for (int i = 0; i < 16; ++i) singular.coeffRef(i, i) = 0.0;
  for (int i = 0; i < 16; ++i) singular.coeffRef(i, i) = -singular.col(i).sum();  // The rows sum to zero.
  Ldlt solver(singular);
  EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
  EXPECT_NE(solver.lastErrorMessage().find("singular"), std::string::npos) << solver.lastErrorMessage();
  const Eigen::VectorXd nothing = solver.solve(Eigen::VectorXd(Eigen::VectorXd::Ones(16)));
  EXPECT_TRUE(std::isnan(nothing.sum()));
  const Matrix a = laplacian(4);
  solver.factorize(a);
  EXPECT_EQ(solver.info(), Eigen::Success);
  Ldlt moved(std::move(solver));
  const Eigen::VectorXd b = random_dense(16, 1, 7);
  const Eigen::VectorXd x = moved.solve(b);
  EXPECT_SOLVES(a, x, b);
  moved.options().form = Form::llt;
  EXPECT_THROW(moved.compute(a), InvalidInput);
}

}  // namespace
}  // namespace gpusupernodal::test
