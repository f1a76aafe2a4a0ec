#pragma once

/// \file
/// Solves with sparse right-hand sides, in batches of columns.

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace gpusupernodal {
namespace eigen_detail {

/// Columns per batch: the number that a device solves in one pass. Eigen's default is 4.
constexpr Eigen::Index sparse_columns_at_once = 16;

/// Computes the sparse vector x = A⁻¹ b through a dense one; x may be b.
template <class Solver, class Rhs, class Dest>
void solve_sparse_vector(const Solver& solver, const Rhs& b, Dest& x) {
  const Eigen::Matrix<typename Rhs::Scalar, Eigen::Dynamic, 1> dense(b);
  Eigen::Matrix<typename Dest::Scalar, Eigen::Dynamic, 1> answer = dense.template cast<typename Dest::Scalar>();
  solver._solve_impl(answer, answer);
  x = answer.sparseView();
}

/// Computes x = A⁻¹ b without storing exact zeros; x may be b. The result is built in a temporary, because x may be
/// row-major.
template <class Solver, class Rhs, class Dest>
void solve_sparse_matrix(const Solver& solver, const Rhs& b, Dest& x) {
  typedef Eigen::SparseMatrix<typename Rhs::Scalar, Eigen::ColMajor, typename Rhs::StorageIndex> Columns;
  typedef Eigen::SparseMatrix<typename Dest::Scalar, Eigen::ColMajor, typename Dest::StorageIndex> Answer;
  const Eigen::Ref<const Columns> columns(b);
  const Eigen::Index at_once = b.cols() < sparse_columns_at_once ? b.cols() : sparse_columns_at_once;
  Eigen::Matrix<typename Dest::Scalar, Eigen::Dynamic, Eigen::Dynamic> dense(b.rows(), at_once);
  Answer answer(b.rows(), b.cols());
  for (Eigen::Index first = 0; first < b.cols(); first += at_once) {
    const Eigen::Index count = b.cols() - first < at_once ? b.cols() - first : at_once;
    auto part = dense.leftCols(count);
    part = columns.middleCols(first, count).template cast<typename Dest::Scalar>();
    solver._solve_impl(part, part);
    for (Eigen::Index j = 0; j < count; ++j) {
      answer.startVec(first + j);
      for (Eigen::Index i = 0; i < b.rows(); ++i) {
        if (part(i, j) != typename Dest::Scalar(0)) answer.insertBack(i, first + j) = part(i, j);
      }
    }
  }
  answer.finalize();
  x = answer;
}

/// Computes x = A⁻¹ b for a sparse vector or matrix b, without storing exact zeros; x may be b.
template <class Solver, class Rhs, class Dest>
void solve_sparse(const Solver& solver, const Rhs& b, Dest& x) {
  if constexpr (int(Rhs::ColsAtCompileTime) == 1 || int(Dest::ColsAtCompileTime) == 1) {
    solve_sparse_vector(solver, b, x);
  } else {
    solve_sparse_matrix(solver, b, x);
  }
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
