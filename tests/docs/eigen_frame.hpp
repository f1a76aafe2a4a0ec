// Declarations that precede the C++ blocks of pages that use Eigen.
#pragma once
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <gpusupernodal/eigen.hpp>

#include "frame.hpp"

namespace frame {

// The matrix of Sample, with both halves.
inline Eigen::SparseMatrix<double> eigen_sample() {
  const Sample sample;
  const gpusupernodal::MatrixView<double> view = sample.view();
  Eigen::SparseMatrix<double> lower(view.n, view.n);
  for (std::int64_t j = 0; j < view.n; ++j) {
    for (std::int64_t p = view.offsets[j]; p < view.offsets[j + 1]; ++p) lower.insert(view.indices[p], j) = view.values[p];
  }
  return Eigen::SparseMatrix<double>(lower.selfadjointView<Eigen::Lower>());
}

}  // namespace frame

#define EIGEN_FRAME                                                       \
  [[maybe_unused]] Eigen::SparseMatrix<double> a = frame::eigen_sample(); \
  [[maybe_unused]] Eigen::SparseMatrix<double> new_a = 2.0 * a;           \
  [[maybe_unused]] Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());   \
  [[maybe_unused]] Eigen::VectorXd x(a.rows());                           \
  [[maybe_unused]] const double* device_values = nullptr;                 \
  [[maybe_unused]] const double* device_b = nullptr;                      \
  [[maybe_unused]] double* device_x = nullptr;                            \
  [[maybe_unused]] Eigen::MatrixXd many_b = Eigen::MatrixXd::Ones(a.rows(), 3)
