#pragma once

/// \file
/// Eigen::GpuSupernodalVerified: what the classes whose solves are verified add to GpuSupernodalBase.

#include <Eigen/SparseCore>
#include <string>
#include <utility>

#include "gpusupernodal/eigen/base.hpp"

namespace Eigen {

/// Base of GpuSupernodalLU and GpuSupernodalLDLT. Their solves compute a backward error, and one that stays large is an
/// outcome of info(). Parameters: as GpuSupernodalBase.
template <typename Derived_, typename MatrixType_, int UpLo_, typename Ordering_, gpusupernodal::Form Form_>
class GpuSupernodalVerified : public GpuSupernodalBase<Derived_, MatrixType_, UpLo_, Ordering_, Form_> {
  typedef GpuSupernodalBase<Derived_, MatrixType_, UpLo_, Ordering_, Form_> Base;
  friend Base;

 public:
  typedef typename Base::Scalar Scalar;  ///< Factor's precision.

  /// Exchanges the contents of two solvers. Precondition: no other thread uses either of them.
  void swap(GpuSupernodalVerified& other) {
    Base::swap(other);
    solve_failure_.swap(other.solve_failure_);
  }

  /// Outcome of the last analysis or factorization; NumericalIssue if a solve with that factorization could not reach a
  /// small backward error.
  ComputationInfo info() const {
    const ComputationInfo outcome = Base::info();
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return outcome == Success && !solve_failure_.empty() ? NumericalIssue : outcome;
  }

  /// Why info() is not Success; empty if it is.
  std::string lastErrorMessage() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    if (info_ == Success) return solve_failure_;
    return info_ == NumericalIssue ? factorization_failure() : state_.failure;
  }

  /// Implements solve() for A, its transpose or its adjoint. If a solution cannot be trusted, x is NaN, and info() and
  /// lastErrorMessage() say so until the next factorization.
  template <typename Rhs, typename Dest>
  void solve_system(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x, gpusupernodal::System system) const {
    try {
      Base::solve_system(b, x, system);
    } catch (const gpusupernodal::NumericalFailure& failure) {
      gpusupernodal::eigen_detail::fill_with_nan(x);
      const gpusupernodal::eigen_detail::Lock lock(mutex_);
      solve_failure_ = failure.what();
    }
  }

 protected:
  using Base::info_;
  using Base::mutex_;
  using Base::state_;

  GpuSupernodalVerified() = default;  ///< Empty.

  /// det A / |det A|. Throws what gpusupernodal::Solver::determinant_sign throws.
  Scalar determinant_sign() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return state_.solver.determinant_sign();
  }

 private:
  void forget_results() { solve_failure_.clear(); }

  /// The library's sentence about the last factorization, which every call that needs a factor has.
  std::string factorization_failure() const {
    const Index n = this->rows();
    try {
      state_.solver.solve(gpusupernodal::DenseView<const Scalar>(nullptr, n, 0, n),
                          gpusupernodal::DenseView<Scalar>(nullptr, n, 0, n));
    } catch (const gpusupernodal::NumericalFailure& failure) {
      return failure.what();
    }
    return std::string();
  }

  mutable std::string solve_failure_;  ///< Why a solve with the current factorization failed; empty if none did.
};

}  // namespace Eigen
