#pragma once

/// \file
/// Symmetric positive definite and general matrices in Eigen's types, and the backward error with its bound.

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#ifdef GPUSUPERNODAL_EIGEN_NEWEST
static_assert(EIGEN_MAJOR_VERSION >= 5, "these are not the headers of the newer Eigen");
#endif

namespace gpusupernodal::test {

/// Five-point Laplacian of an m × m grid, both halves stored. Its condition number is about m².
template <class Matrix = Eigen::SparseMatrix<double>>
Matrix laplacian(int m) {
  using Scalar = typename Matrix::Scalar;
  std::vector<Eigen::Triplet<Scalar, typename Matrix::StorageIndex>> entries;
  const auto couple = [&](int i, int j) {
    entries.emplace_back(i, j, Scalar(-1));
    entries.emplace_back(j, i, Scalar(-1));
  };
  for (int i = 0; i < m * m; ++i) {
    entries.emplace_back(i, i, Scalar(4));
    if ((i + 1) % m != 0) couple(i, i + 1);
    if (i + m < m * m) couple(i, i + m);
  }
  Matrix a(m * m, m * m);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// About `edges` random couplings in [−1, 1], the diagonal 1 + Σ|couplings| of its row; both halves stored.
template <class Matrix = Eigen::SparseMatrix<double>>
Matrix random_spd(int n, int edges, unsigned seed) {
  using Scalar = typename Matrix::Scalar;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<int> row(0, n > 0 ? n - 1 : 0);
  Eigen::SparseMatrix<double> couplings(n, n);
  for (int e = 0; e < edges && n > 1; ++e) {
    const int i = row(generator);
    const int j = row(generator);
    if (i == j) continue;
    couplings.coeffRef(i, j) = couplings.coeffRef(j, i) = value(generator);
  }
  Eigen::VectorXd diagonal = Eigen::VectorXd::Ones(n);
  for (int j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(couplings, j); it; ++it) diagonal[j] += std::abs(it.value());
  }
  for (int j = 0; j < n; ++j) couplings.coeffRef(j, j) = diagonal[j];
  couplings.makeCompressed();
  return Matrix(couplings.cast<Scalar>());
}

/// About `per_row` random entries in [−1, 1] per row off the diagonal, at places that are not symmetric, and a diagonal of
/// magnitude `per_row` to 2·per_row + 1. Then row i becomes row i + shift, cyclically.
template <class Matrix = Eigen::SparseMatrix<double>>
Matrix random_general(int n, int per_row, unsigned seed, int shift = 0) {
  using Scalar = typename Matrix::Scalar;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<int> column(0, n - 1);
  Eigen::SparseMatrix<double> a(n, n);
  for (int i = 0; i < n; ++i) {
    const int row = (i + shift) % n;
    for (int k = 0; k < per_row; ++k) a.coeffRef(row, column(generator)) = value(generator);
    const double diagonal = value(generator) * (per_row + 1);
    a.coeffRef(row, i) = diagonal + (diagonal < 0 ? -per_row : per_row);
  }
  a.makeCompressed();
  return Matrix(a.cast<Scalar>());
}

/// Random entries in [−1, 1].
template <class Scalar = double>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> random_dense(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> x(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) x(i, j) = static_cast<Scalar>(value(generator));
  }
  return x;
}

/// max over columns of ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), in double; A has both halves.
template <class A, class X, class B>
double backward_error(const A& a, const X& x, const B& b) {
  if (b.size() == 0) return 0.0;
  const Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t> wide(a.template cast<double>());
  const Eigen::MatrixXd wide_x = Eigen::MatrixXd(x.template cast<double>());
  const Eigen::MatrixXd wide_b = Eigen::MatrixXd(b.template cast<double>());
  const Eigen::MatrixXd residual = wide_b - wide * wide_x;
  const double norm = Eigen::VectorXd(wide.cwiseAbs() * Eigen::VectorXd::Ones(wide.cols())).maxCoeff();
  double worst = 0.0;
  for (Eigen::Index j = 0; j < wide_b.cols(); ++j) {
    const double scale = norm * wide_x.col(j).lpNorm<Eigen::Infinity>() + wide_b.col(j).lpNorm<Eigen::Infinity>();
    const double error = residual.col(j).lpNorm<Eigen::Infinity>() / (scale > 0 ? scale : 1.0);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// Bound of the normwise backward error of a solve in Scalar: 4·n·eps, n at least 10 [Higham02, Theorem 10.4]; that of LU
/// without growth is the same [Higham02, Theorem 9.4].
template <class Scalar>
double backward_error_bound(Eigen::Index n) {
  return 4.0 * static_cast<double>(std::max<Eigen::Index>(n, 10)) *
         static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

/// Bound of ‖x − y‖ / ‖x‖ for two solutions x, y with backward errors of 4·n·eps each and a matrix with condition
/// number `condition`.
template <class Scalar>
double forward_error_bound(Eigen::Index n, double condition) {
  return 4.0 * condition * backward_error_bound<Scalar>(n);
}

}  // namespace gpusupernodal::test

#define EXPECT_SOLVES(a, x, b)                                                                     \
  EXPECT_LE(gpusupernodal::test::backward_error(a, x, b),                                          \
            gpusupernodal::test::backward_error_bound<typename std::decay_t<decltype(x)>::Scalar>( \
                static_cast<Eigen::Index>((a).rows())))
