#pragma once

/// \file
/// Eigen::GpuSupernodalLU: the library's LU as an Eigen sparse solver, a replacement for Eigen::SparseLU.

#include <Eigen/SparseCore>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "gpusupernodal/eigen/verified.hpp"

namespace Eigen {

/// Aᵀ or Aᴴ of a factorized matrix: its solve() solves with that. Made by GpuSupernodalLU::transpose() and adjoint(), whose
/// solver it refers to.
template <typename Solver_>
class GpuSupernodalLUTransposeView : public SparseSolverBase<GpuSupernodalLUTransposeView<Solver_>> {
  typedef SparseSolverBase<GpuSupernodalLUTransposeView> Base;

 public:
  typedef typename Solver_::MatrixType MatrixType;      ///< Type of A.
  typedef typename Solver_::OrderingType OrderingType;  ///< Ordering functor.
  typedef typename Solver_::Scalar Scalar;              ///< Factor's precision.
  typedef typename Solver_::StorageIndex StorageIndex;  ///< Index type of A.
  /// The compile-time constants that Eigen's sparse solvers provide.
  enum { ColsAtCompileTime = MatrixType::ColsAtCompileTime, MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime };

  /// A view of `solver`, on which solve() may be called once `is_initialized`. `system`: transposed or adjoint.
  GpuSupernodalLUTransposeView(const Solver_& solver, bool is_initialized, gpusupernodal::System system)
      : solver_(&solver), system_(system) {
    this->m_isInitialized = is_initialized;
  }
  /// Another view of the same solver.
  GpuSupernodalLUTransposeView(const GpuSupernodalLUTransposeView& other)
      : GpuSupernodalLUTransposeView(*other.solver_, other.m_isInitialized, other.system_) {}
  GpuSupernodalLUTransposeView& operator=(const GpuSupernodalLUTransposeView&) = delete;

  Index rows() const { return solver_->cols(); }            ///< Rows of Aᵀ.
  Index cols() const { return solver_->rows(); }            ///< Columns of Aᵀ.
  ComputationInfo info() const { return solver_->info(); }  ///< That of the solver.

  using Base::_solve_impl;
  /// Implements solve(): x = A⁻ᵀ b or A⁻ᴴ b, as the solver's solve().
  template <typename Rhs, typename Dest>
  void _solve_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    solver_->solve_system(b, x, system_);
  }
  /// Implements solve() for sparse right-hand sides, in batches of columns.
  template <typename Rhs, typename Dest>
  void _solve_impl(const SparseMatrixBase<Rhs>& b, SparseMatrixBase<Dest>& x) const {
    gpusupernodal::eigen_detail::solve_sparse(*this, b.derived(), x.derived());
  }

 private:
  const Solver_* solver_;
  gpusupernodal::System system_;
};

/// Sparse LU factorization R D A C Pᵀ = L U of a general matrix, real or complex: R orders the rows so that pivots are
/// large, D and C are scales, and P orders the columns to reduce fill. docs/lu.md has the method.
///
/// Drop-in replacement for SparseLU, with the members that it can answer truthfully: there is no matrixL(), matrixU()
/// or rowsPermutation().
///
/// \tparam MatrixType_ a SparseMatrix of float, double or their complex types with a 32- or 64-bit StorageIndex, column- or
/// row-major.
/// \tparam Ordering_ AutoOrdering: options().ordering decides. Otherwise an Eigen ordering functor, which sees A before its
/// rows are exchanged.
///
/// The analysis of `compute` or `analyzePattern` exchanges rows by the values that it is given, and later factorizations
/// keep that exchange. If a factorization is unstable with the values of `factorize`, it is repeated with other pivots
/// (Options::repivot), and colsPermutation() may change. On dense storage (LuSchedule::dense, which `automatic` takes for
/// small matrices with nearly full factors) every factorization exchanges rows for its own values instead.
///
/// info() returns NumericalIssue if A is singular up to rounding, if the factorization is unstable, if a value is not
/// finite, or if a solve did not reach a small backward error; it returns InvalidInput if memory ran out. lastErrorMessage()
/// says which. After a NumericalIssue x is NaN, never inaccurate. Misuse throws gpusupernodal::Error. Matrices, right-hand
/// sides, threads and moves: as with GpuSupernodalLLT.
template <typename MatrixType_, typename Ordering_ = AutoOrdering>
class GpuSupernodalLU
    : public GpuSupernodalVerified<GpuSupernodalLU<MatrixType_, Ordering_>, MatrixType_,
                                   gpusupernodal::eigen_detail::whole_matrix, Ordering_, gpusupernodal::Form::lu> {
  static_assert(std::is_same<typename MatrixType_::RealScalar, float>::value ||
                    std::is_same<typename MatrixType_::RealScalar, double>::value,
                "GpuSupernodalLU factorizes matrices of float or double, real or complex");
  static_assert(gpusupernodal::detail::CheckForm<MatrixType_, gpusupernodal::Form::lu>::value,
                "this gpusupernodal was built without LU: name lu in the build option GPUSUPERNODAL_FORMS");

  typedef GpuSupernodalVerified<GpuSupernodalLU, MatrixType_, gpusupernodal::eigen_detail::whole_matrix, Ordering_,
                                gpusupernodal::Form::lu>
      Base;
  friend Base;

 public:
  typedef typename Base::Scalar Scalar;                                 ///< Factor's precision.
  typedef typename Base::RealScalar RealScalar;                         ///< Real type of it.
  typedef typename Base::PermutationType PermutationType;               ///< Type of colsPermutation().
  typedef GpuSupernodalLUTransposeView<GpuSupernodalLU> TransposeView;  ///< Type of transpose() and adjoint().

  GpuSupernodalLU() = default;  ///< Empty: call compute() or analyzePattern() first.
  /// Constructs the solver and calls compute(a).
  explicit GpuSupernodalLU(const MatrixType_& a) { this->compute(a); }
  /// Constructs the solver and calls compute(a) for any sparse expression.
  template <typename Input>
  explicit GpuSupernodalLU(const SparseMatrixBase<Input>& a) {
    this->compute(a);
  }
  /// Takes over the contents of `other` and leaves it empty. Views of `other` keep referring to it.
  GpuSupernodalLU(GpuSupernodalLU&& other) : GpuSupernodalLU() { this->swap(other); }
  /// Releases this solver's contents, takes over those of `other` and leaves it empty.
  GpuSupernodalLU& operator=(GpuSupernodalLU&& other) {
    GpuSupernodalLU taken(std::move(other));
    this->swap(taken);
    return *this;
  }
  /// Aᵀ: x = solver.transpose().solve(b) solves Aᵀ x = b. Precondition: this object outlives the view.
  TransposeView transpose() const { return TransposeView(*this, m_isInitialized, gpusupernodal::System::transposed); }
  /// Aᴴ: x = solver.adjoint().solve(b) solves Aᴴ x = b. If A is real, Aᴴ is Aᵀ.
  TransposeView adjoint() const { return TransposeView(*this, m_isInitialized, gpusupernodal::System::adjoint); }

  /// The permutation P: A Pᵀ has its columns in elimination order, which is the order of the columns of L and U.
  const PermutationType& colsPermutation() const { return permutation_; }

  /// Magnitude of the determinant; infinite if it overflows, see logAbsDeterminant().
  Scalar absDeterminant() const { return Scalar(static_cast<RealScalar>((std::exp)(log_magnitude()))); }
  /// Natural logarithm of the magnitude of the determinant. Throws gpusupernodal::NumericalFailure if the factorization
  /// failed or if it replaced pivots (report().factor.perturbed_pivots).
  Scalar logAbsDeterminant() const { return Scalar(static_cast<RealScalar>(log_magnitude())); }
  /// det A / |det A|: 1 or −1; for a complex A a number of magnitude 1. Throws as logAbsDeterminant().
  Scalar signDeterminant() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    return this->determinant_sign();
  }
  /// The determinant; infinite if it overflows, see logAbsDeterminant().
  Scalar determinant() const { return signDeterminant() * absDeterminant(); }

  /// From the next compute or analyzePattern on, pivots below `threshold` times the largest magnitude in the scaled matrix
  /// are replaced by that product, and solves are then refined. It sets options().perturbation to `threshold`, but at most
  /// to √eps. 0 means the default: √eps, or eps on dense storage (LuSchedule::dense). SparseLU's threshold has another
  /// meaning: the share of the column's largest entry, up to 1, that a diagonal entry needs to become the pivot. Its usual
  /// values set √eps here. The next analysis throws InvalidInput if `threshold` is negative or NaN.
  void setPivotThreshold(const RealScalar& threshold) {
    const double largest = (std::sqrt)(static_cast<double>((std::numeric_limits<RealScalar>::epsilon)()));
    state_.options.perturbation = threshold > largest ? largest : static_cast<double>(threshold);
  }
  /// Accepted, without effect: options().lu_schedule decides whether the pattern of A + Aᵀ is used.
  void isSymmetric(bool) {}

 private:
  using Base::factorized_;
  using Base::m_isInitialized;
  using Base::permutation_;
  using Base::state_;

  double log_magnitude() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    return this->log_determinant();
  }
};

}  // namespace Eigen
