#pragma once

/// \file
/// The library as a sparse solver that chooses its method: Eigen::GpuSupernodalSolver.

#include <Eigen/SparseCore>
#include <string>
#include <type_traits>
#include <vector>

#include "gpusupernodal/eigen/dense.hpp"
#include "gpusupernodal/eigen/lock.hpp"
#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/eigen/sparse_solve.hpp"
#include "gpusupernodal/eigen/state.hpp"
#include "gpusupernodal/system_solver.hpp"

namespace Eigen {

/// Solves with symmetric positive definite matrices by a factorization or by conjugate gradients, whichever is forecast to
/// end sooner. The choice is made in solve(), which therefore does all work; compute() copies the matrix.
///
/// \tparam MatrixType_ a SparseMatrix of float or double with a 32- or 64-bit StorageIndex, column- or row-major.
/// \tparam UpLo_ Lower or Upper: the half of A that is read; Lower|Upper: both are stored.
///
/// info() is Success, NumericalIssue (A is not positive definite, or numbers are not finite), NoConvergence (the iteration
/// of Method::pcg took too long, or x is not accurate; x is NaN then), or InvalidInput when memory ran out or the device
/// failed. Misuse throws gpusupernodal::Error. Several threads may call solve() concurrently; the calls run one after
/// another.
template <typename MatrixType_, int UpLo_ = Lower>
class GpuSupernodalSolver : public SparseSolverBase<GpuSupernodalSolver<MatrixType_, UpLo_>> {
  static_assert(std::is_same<typename MatrixType_::Scalar, float>::value ||
                    std::is_same<typename MatrixType_::Scalar, double>::value,
                "GpuSupernodalSolver solves matrices of float or double");
  static_assert((UpLo_ & (Lower | Upper)) != 0, "GpuSupernodalSolver reads the half Lower or Upper of the matrix");

  typedef SparseSolverBase<GpuSupernodalSolver> Base;

 public:
  typedef MatrixType_ MatrixType;                          ///< Type of A.
  typedef typename MatrixType::Scalar Scalar;              ///< Type of all numbers.
  typedef typename MatrixType::RealScalar RealScalar;      ///< The same.
  typedef typename MatrixType::StorageIndex StorageIndex;  ///< Index type of A.
  enum { UpLo = UpLo_ };                                   ///< The half that is read.
  /// The compile-time constants that Eigen's sparse solvers provide.
  enum { ColsAtCompileTime = MatrixType::ColsAtCompileTime, MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime };

  GpuSupernodalSolver() = default;  ///< Empty: call compute() first.
  /// Constructs the solver and calls compute(a).
  template <typename Input>
  explicit GpuSupernodalSolver(const EigenBase<Input>& a) {
    compute(static_cast<const SparseMatrixBase<Input>&>(a.derived()));
  }

  /// Rows of the matrix; 0 before compute().
  Index rows() const { return static_cast<Index>(system_.order()); }
  Index cols() const { return rows(); }  ///< Equal to rows().

  /// analyzePattern(a), then factorize(a).
  template <typename Input>
  GpuSupernodalSolver& compute(const SparseMatrixBase<Input>& a) {
    analyzePattern(a);
    if (info_ == Success) factorize(a);
    return *this;
  }
  /// Takes the pattern of `a`; the values may change later. Throws InvalidInput if `a` is not square.
  template <typename Input>
  GpuSupernodalSolver& analyzePattern(const SparseMatrixBase<Input>& a) {
    m_isInitialized = true;
    ready_ = false;
    run(a.derived(), [&](const auto& compressed) {
      system_.set_options(options_);
      system_.analyze(view_of(compressed));
    });
    return *this;
  }
  /// Takes the values of `a`. Precondition: `a` has the analyzed pattern.
  template <typename Input>
  GpuSupernodalSolver& factorize(const SparseMatrixBase<Input>& a) {
    eigen_assert(m_isInitialized && "You must first call analyzePattern()");
    ready_ = false;
    run(a.derived(), [&](const auto& compressed) {
      const auto view = view_of(compressed);
      system_.update(gpusupernodal::Span<const Scalar>(view.values, static_cast<std::size_t>(compressed.nonZeros())));
      ready_ = true;
    });
    return *this;
  }

  /// Outcome of the last solve, or of compute() before the first.
  ComputationInfo info() const {
    eigen_assert(m_isInitialized && "GpuSupernodalSolver is not initialized.");
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return info_;
  }
  /// Why info() is not Success; empty if it is.
  std::string lastErrorMessage() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    if (info_ == Success) return std::string();
    return info_ == InvalidInput ? failure_ : system_.report().reason;
  }

  /// The library's options, for writing. `method`, `expected_solves`, tolerances, `max_iterations` and `progress` act from
  /// the next solve on, all others from the next analyzePattern() or compute().
  gpusupernodal::SystemOptions& options() { return options_; }
  /// The library's options.
  const gpusupernodal::SystemOptions& options() const { return options_; }
  /// What the last solve decided and measured. Precondition: no other thread calls solve().
  const gpusupernodal::SystemReport& report() const { return system_.report(); }

  using Base::_solve_impl;
  /// Implements solve().
  template <typename Rhs, typename Dest>
  void _solve_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    eigen_assert(rows() == b.rows());
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    if (!ready_) {
      gpusupernodal::eigen_detail::fill_with_nan(x);
      if (info_ == Success) {
        info_ = InvalidInput;
        failure_ =
            m_isInitialized ? "solve was called before factorize gave the matrix values" : "solve was called before compute";
      }
      return;
    }
    typedef Matrix<Scalar, Dynamic, Dynamic> Columns;
    const Columns right = b.template cast<Scalar>();
    const Columns nothing = Columns::Constant(b.rows(), b.cols(), NumTraits<Scalar>::quiet_NaN());
    Columns solution = nothing;
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(failure_, [&] {
      system_.set_options(options_);
      const auto n = static_cast<std::int64_t>(right.rows()), columns = static_cast<std::int64_t>(right.cols());
      const std::int64_t ld = n > 0 ? n : 1;
      return info_of(system_
                         .solve(gpusupernodal::DenseView<const Scalar>(right.data(), n, columns, ld),
                                gpusupernodal::DenseView<Scalar>(solution.data(), n, columns, ld))
                         .status);
    });
    x.derived() = (info_ == Success ? solution : nothing).template cast<typename Dest::Scalar>();
  }
  /// Implements solve() for sparse right-hand sides.
  template <typename Rhs, typename Dest>
  void _solve_impl(const SparseMatrixBase<Rhs>& b, SparseMatrixBase<Dest>& x) const {
    gpusupernodal::eigen_detail::solve_sparse(*this, b.derived(), x.derived());
  }

 private:
  using Base::m_isInitialized;

  template <typename Compressed>
  gpusupernodal::MatrixView<Scalar> view_of(const Compressed& a) {
    return gpusupernodal::eigen_detail::matrix_view<UpLo_>(a,
                                                           gpusupernodal::eigen_detail::values_of<UpLo_>(a, 1.0, values_));
  }

  /// Calls phase(compressed matrix) and sets info_.
  template <typename Input, typename Phase>
  void run(const Input& a, const Phase& phase) {
    eigen_assert(a.rows() == a.cols());
    if (a.rows() != a.cols()) throw gpusupernodal::InvalidInput("the matrix is not square", __FILE__, __LINE__);
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(failure_, [&] {
      gpusupernodal::eigen_detail::with_compressed(a, phase);
      return Success;
    });
  }

  static ComputationInfo info_of(gpusupernodal::SystemStatus status) {
    if (status == gpusupernodal::SystemStatus::solved) return Success;
    const bool slow =
        status == gpusupernodal::SystemStatus::not_converged || status == gpusupernodal::SystemStatus::inaccurate;
    return slow ? NoConvergence : NumericalIssue;
  }

  gpusupernodal::SystemOptions options_;
  mutable gpusupernodal::SystemSolver<Scalar> system_;
  std::vector<Scalar> values_;
  bool ready_ = false;  ///< Whether factorize() succeeded.
  mutable gpusupernodal::eigen_detail::Mutex mutex_;
  mutable ComputationInfo info_ = Success;
  mutable std::string failure_;
};

}  // namespace Eigen
