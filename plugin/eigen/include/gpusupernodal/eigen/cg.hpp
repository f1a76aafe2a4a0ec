#pragma once

/// \file
/// The library as an iterative sparse solver: Eigen::GpuSupernodalCG, a replacement for Eigen::ConjugateGradient.

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen/dense.hpp"
#include "gpusupernodal/eigen/lock.hpp"
#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/eigen/sparse_solve.hpp"
#include "gpusupernodal/eigen/state.hpp"
#include "gpusupernodal/pcg.hpp"

namespace gpusupernodal {

/// Names a preconditioner of the library as a type, for Eigen::GpuSupernodalCG.
template <Preconditioner Kind>
struct OwnPreconditioner {};

namespace eigen_detail {

/// Which preconditioner of the library a type stands for; none stands for a foreign one.
template <class Type>
struct PreconditionerOf {
  static constexpr bool is_foreign = true;
  static constexpr Preconditioner kind = Preconditioner::none;
};
template <Preconditioner Kind>
struct PreconditionerOf<OwnPreconditioner<Kind>> {
  static constexpr bool is_foreign = false;
  static constexpr Preconditioner kind = Kind;
};
template <class Scalar>
struct PreconditionerOf<Eigen::DiagonalPreconditioner<Scalar>>
    : PreconditionerOf<OwnPreconditioner<Preconditioner::jacobi>> {};
template <>
struct PreconditionerOf<Eigen::IdentityPreconditioner> : PreconditionerOf<OwnPreconditioner<Preconditioner::none>> {};

}  // namespace eigen_detail
}  // namespace gpusupernodal

namespace Eigen {

/// Preconditioned conjugate gradients for symmetric positive definite matrices, on the host or on a CUDA device.
///
/// Replaces ConjugateGradient: it has the same members. Three things differ. Convergence is confirmed by the true residual,
/// so that info() is never Success for a wrong x; the default tolerance is 1e-10 (1e-5 for float) instead of the machine's
/// precision, which the true residual seldom reaches; and the matrix is copied by compute().
///
/// \tparam MatrixType_ a SparseMatrix of float or double with a 32- or 64-bit StorageIndex, column- or row-major.
/// \tparam UpLo_ Lower or Upper: the half of A that is read; Lower|Upper: both are stored.
/// \tparam Preconditioner_ gpusupernodal::OwnPreconditioner<kind>, by default the library's choice, which
/// options().preconditioner can change; DiagonalPreconditioner and IdentityPreconditioner are the library's own too. Any
/// other type with compute(matrix) and solve(r) is used as it is, on the host.
///
/// info() is Success, NoConvergence (too many iterations, or rounding keeps the residual above the tolerance),
/// NumericalIssue (A or M is not positive definite, or numbers are not finite), or InvalidInput when memory ran out or the
/// device failed. Misuse throws gpusupernodal::Error. Several threads may call solve() concurrently; the calls run one after
/// another.
template <typename MatrixType_, int UpLo_ = Lower,
          typename Preconditioner_ = gpusupernodal::OwnPreconditioner<gpusupernodal::Preconditioner::automatic>>
class GpuSupernodalCG : public SparseSolverBase<GpuSupernodalCG<MatrixType_, UpLo_, Preconditioner_>> {
  static_assert(std::is_same<typename MatrixType_::Scalar, float>::value ||
                    std::is_same<typename MatrixType_::Scalar, double>::value,
                "GpuSupernodalCG solves matrices of float or double");
  static_assert((UpLo_ & (Lower | Upper)) != 0, "GpuSupernodalCG reads the half Lower or Upper of the matrix");

  typedef SparseSolverBase<GpuSupernodalCG> Base;
  typedef gpusupernodal::eigen_detail::PreconditionerOf<Preconditioner_> Kind;

 public:
  typedef MatrixType_ MatrixType;                          ///< Type of A.
  typedef Preconditioner_ Preconditioner;                  ///< Type that stands for M.
  typedef typename MatrixType::Scalar Scalar;              ///< Type of all numbers.
  typedef typename MatrixType::RealScalar RealScalar;      ///< The same.
  typedef typename MatrixType::StorageIndex StorageIndex;  ///< Index type of A.
  enum { UpLo = UpLo_ };                                   ///< The half that is read.
  /// The compile-time constants that Eigen's sparse solvers provide.
  enum { ColsAtCompileTime = MatrixType::ColsAtCompileTime, MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime };

  GpuSupernodalCG() { options_.preconditioner = Kind::kind; }  ///< Empty: call compute() first.
  /// Constructs the solver and calls compute(a).
  template <typename Input>
  explicit GpuSupernodalCG(const EigenBase<Input>& a) : GpuSupernodalCG() {
    compute(static_cast<const SparseMatrixBase<Input>&>(a.derived()));
  }

  /// Rows of the matrix; 0 before compute().
  Index rows() const { return static_cast<Index>(pcg_.order()); }
  Index cols() const { return rows(); }  ///< Equal to rows().

  /// analyzePattern(a), then factorize(a).
  template <typename Input>
  GpuSupernodalCG& compute(const SparseMatrixBase<Input>& a) {
    analyzePattern(a);
    if (info_ == Success) factorize(a);
    return *this;
  }
  /// Takes the pattern of `a`; the values may change later. Throws InvalidInput if `a` is not square.
  template <typename Input>
  GpuSupernodalCG& analyzePattern(const SparseMatrixBase<Input>& a) {
    m_isInitialized = true;
    ready_ = false;
    run(a.derived(), [&](const auto& compressed) {
      pcg_.set_options(effective_options());
      if (Kind::is_foreign) pcg_.set_preconditioner(foreign_function());
      pcg_.analyze(view_of(compressed));
      if (Kind::is_foreign) analyze_foreign(compressed);
    });
    return *this;
  }
  /// Takes the values of `a` and sets up the preconditioner. Precondition: `a` has the analyzed pattern.
  template <typename Input>
  GpuSupernodalCG& factorize(const SparseMatrixBase<Input>& a) {
    eigen_assert(m_isInitialized && "You must first call analyzePattern()");
    ready_ = false;
    run(a.derived(), [&](const auto& compressed) {
      pcg_.set_options(effective_options());
      const auto view = view_of(compressed);
      if (Kind::is_foreign) compute_foreign(compressed);
      pcg_.update(gpusupernodal::Span<const Scalar>(view.values, static_cast<std::size_t>(compressed.nonZeros())));
      ready_ = true;
    });
    return *this;
  }

  RealScalar tolerance() const { return static_cast<RealScalar>(effective_tolerance()); }  ///< Relative to the norm of b.
  /// Sets the relative tolerance; 0: the default.
  GpuSupernodalCG& setTolerance(const RealScalar& tolerance) {
    options_.tolerance = static_cast<double>(tolerance);
    return *this;
  }
  /// Limit on the iterations.
  Index maxIterations() const {
    return options_.max_iterations > 0 ? static_cast<Index>(options_.max_iterations) : rows() < 10 ? 100 : 10 * rows();
  }
  /// Sets the limit; 0: the default, 10·n.
  GpuSupernodalCG& setMaxIterations(Index iterations) {
    options_.max_iterations = iterations;
    return *this;
  }
  /// Iterations of the last solve; of several columns, the most.
  Index iterations() const {
    eigen_assert(m_isInitialized && "ConjugateGradient is not initialized.");
    return iterations_;
  }
  /// The last solve's true residual relative to the norm of b; of several columns, the largest.
  RealScalar error() const {
    eigen_assert(m_isInitialized && "ConjugateGradient is not initialized.");
    return static_cast<RealScalar>(error_);
  }
  /// Outcome of the last solve, or of compute() before the first.
  ComputationInfo info() const {
    eigen_assert(m_isInitialized && "ConjugateGradient is not initialized.");
    return info_;
  }
  /// The message if info() is InvalidInput; empty otherwise.
  const std::string& failure() const { return failure_; }

  /// The library's options, for writing. Tolerances, `max_iterations` and `progress` act from the next solve on, renewal
  /// from the next factorize(), all others from the next analyzePattern() or compute().
  gpusupernodal::PcgOptions& options() { return options_; }
  /// The library's options.
  const gpusupernodal::PcgOptions& options() const { return options_; }
  /// The preconditioner, if it is a foreign type.
  Preconditioner& preconditioner() { return preconditioner_; }
  /// The preconditioner, read-only.
  const Preconditioner& preconditioner() const { return preconditioner_; }
  /// Reports of the last solve, one for each column.
  const std::vector<gpusupernodal::PcgReport>& reports() const { return pcg_.reports(); }

  /// Solves A x = b from the start value `start`.
  template <typename Rhs, typename Guess>
  const SolveWithGuess<GpuSupernodalCG, Rhs, Guess> solveWithGuess(const MatrixBase<Rhs>& b, const Guess& start) const {
    eigen_assert(m_isInitialized && "ConjugateGradient is not initialized.");
    eigen_assert(rows() == b.rows());
    return SolveWithGuess<GpuSupernodalCG, Rhs, Guess>(*this, b.derived(), start);
  }

  using Base::_solve_impl;
  /// Implements solve().
  template <typename Rhs, typename Dest>
  void _solve_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    solve_columns(b, x, false);
  }
  /// Implements solve() for sparse right-hand sides.
  template <typename Rhs, typename Dest>
  void _solve_impl(const SparseMatrixBase<Rhs>& b, SparseMatrixBase<Dest>& x) const {
    gpusupernodal::eigen_detail::solve_sparse(*this, b.derived(), x.derived());
  }
  /// Implements solveWithGuess(); x holds the start value.
  template <typename Rhs, typename Dest>
  void _solve_with_guess_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    solve_columns(b, x, true);
  }

 private:
  typedef Matrix<Scalar, Dynamic, Dynamic> Columns;
  typedef Matrix<Scalar, Dynamic, 1> Vector;
  using Base::m_isInitialized;

  double effective_tolerance() const {
    if (options_.tolerance > 0.0 || options_.absolute_tolerance > 0.0) return options_.tolerance;
    return std::is_same<Scalar, float>::value ? 1e-5 : 1e-10;
  }

  gpusupernodal::PcgOptions effective_options() const {
    gpusupernodal::PcgOptions options = options_;
    if (Kind::is_foreign) options.backend = gpusupernodal::Backend::host;
    return options;
  }

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
    if (Kind::is_foreign && info_ == Success) info_ = foreign_info(preconditioner_);
  }

  template <typename Compressed>
  void analyze_foreign(const Compressed& a) {
    if constexpr (Kind::is_foreign) preconditioner_.analyzePattern(MatrixType(a));
  }
  template <typename Compressed>
  void compute_foreign(const Compressed& a) {
    if constexpr (Kind::is_foreign) preconditioner_.factorize(MatrixType(a));
  }
  /// Outcome of a foreign preconditioner's set-up.
  template <typename P>
  static ComputationInfo foreign_info(P& preconditioner) {
    if constexpr (Kind::is_foreign) return preconditioner.info();
    return Success;
  }

  typename gpusupernodal::Pcg<Scalar>::Apply foreign_function() {
    if constexpr (Kind::is_foreign) {
      return [this](const gpusupernodal::DenseView<const Scalar>& r, const gpusupernodal::DenseView<Scalar>& z, void*) {
        const Vector right = Map<const Vector>(r.data, static_cast<Index>(r.rows));
        Map<Vector>(z.data, static_cast<Index>(z.rows)) = preconditioner_.solve(right);
      };
    }
    return nullptr;
  }

  static ComputationInfo info_of(gpusupernodal::PcgStatus status) {
    if (status == gpusupernodal::PcgStatus::converged) return Success;
    const bool limited = status == gpusupernodal::PcgStatus::max_iterations || status == gpusupernodal::PcgStatus::stagnated;
    return limited ? NoConvergence : NumericalIssue;
  }

  template <typename Rhs, typename Dest>
  void solve_columns(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x, bool use_start) const {
    eigen_assert(rows() == b.rows());
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    iterations_ = 0;
    error_ = 0.0;
    if (!ready_) {
      gpusupernodal::eigen_detail::fill_with_nan(x);
      if (info_ == Success) info_ = InvalidInput;  // factorize was not called.
      return;
    }
    const Columns right = b.template cast<Scalar>();
    Columns solution = Columns::Constant(b.rows(), b.cols(), NumTraits<Scalar>::quiet_NaN());
    if (use_start) solution = x.template cast<Scalar>();
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(failure_, [&] {
      pcg_.set_options(effective_options());
      const auto n = static_cast<std::int64_t>(right.rows()), columns = static_cast<std::int64_t>(right.cols());
      const std::int64_t ld = n > 0 ? n : 1;
      const gpusupernodal::PcgReport& worst =
          pcg_.solve(gpusupernodal::DenseView<const Scalar>(right.data(), n, columns, ld),
                     gpusupernodal::DenseView<Scalar>(solution.data(), n, columns, ld), use_start);
      for (const gpusupernodal::PcgReport& report : pcg_.reports()) {
        const double relative = report.right_hand_side > 0.0 ? report.residual / report.right_hand_side : 0.0;
        if (!(relative <= error_)) error_ = relative;
        if (static_cast<Index>(report.iterations) > iterations_) iterations_ = static_cast<Index>(report.iterations);
      }
      return info_of(worst.status);
    });
    x.derived() = solution.template cast<typename Dest::Scalar>();
  }

  gpusupernodal::PcgOptions options_;
  mutable gpusupernodal::Pcg<Scalar> pcg_;
  Preconditioner preconditioner_;
  std::vector<Scalar> values_;
  bool ready_ = false;  ///< Whether factorize() succeeded.
  mutable gpusupernodal::eigen_detail::Mutex mutex_;
  mutable ComputationInfo info_ = Success;
  mutable std::string failure_;
  mutable Index iterations_ = 0;
  mutable double error_ = 0.0;
};

}  // namespace Eigen
