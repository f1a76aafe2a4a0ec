#pragma once

/// \file
/// Eigen::GpuSupernodalLDLT: the library's LDLᵀ as an Eigen sparse solver, a replacement for Eigen::SimplicialLDLT.

#include <Eigen/SparseCore>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen/verified.hpp"

namespace Eigen {

/// Sparse LDLᵀ factorization P A Pᵀ = L D Lᵀ of a symmetric matrix, which may be indefinite. D has blocks of order 1 and 2.
/// A complex matrix is Hermitian, P A Pᵀ = L D Lᴴ, or symmetric if options().symmetry says so. docs/ldlt.md has the method.
///
/// Drop-in replacement for SimplicialLDLT, with the members that it can answer truthfully: there is no matrixL() or
/// matrixU(). SimplicialLDLT takes pivots in the order of P and divides by whatever it finds; this class exchanges rows
/// inside diagonal blocks, replaces pivots that are too small, and verifies each solve.
///
/// \tparam MatrixType_ a SparseMatrix of float, double or a std::complex of these with a 32- or 64-bit StorageIndex, column-
/// or row-major. \tparam UpLo_ Lower or Upper: the half of A that is read; the other half may be stored. Lower|Upper: both
/// are stored. \tparam Ordering_ AutoOrdering: options().ordering decides. Otherwise an Eigen ordering functor, obeyed.
///
/// info() returns NumericalIssue if A is singular up to rounding, if the factorization is unstable, if a value is not
/// finite, or if a solve did not reach a small backward error; InvalidInput if memory ran out. lastErrorMessage() says
/// which. After a NumericalIssue x is NaN, never inaccurate. Misuse throws gpusupernodal::Error. Matrices, right-hand sides,
/// threads and moves: as with GpuSupernodalLLT.
template <typename MatrixType_, int UpLo_ = Lower, typename Ordering_ = AutoOrdering>
class GpuSupernodalLDLT : public GpuSupernodalVerified<GpuSupernodalLDLT<MatrixType_, UpLo_, Ordering_>, MatrixType_, UpLo_,
                                                       Ordering_, gpusupernodal::Form::ldlt> {
  static_assert(std::is_same<typename NumTraits<typename MatrixType_::Scalar>::Real, float>::value ||
                    std::is_same<typename NumTraits<typename MatrixType_::Scalar>::Real, double>::value,
                "GpuSupernodalLDLT factorizes matrices of float, double, std::complex<float> or std::complex<double>");
  static_assert(gpusupernodal::detail::CheckForm<MatrixType_, gpusupernodal::Form::ldlt>::value,
                "this gpusupernodal was built without LDLT: name ldlt in the build option GPUSUPERNODAL_FORMS");
  static_assert((UpLo_ & (Lower | Upper)) != 0, "GpuSupernodalLDLT reads the half Lower or Upper of the matrix");

  typedef GpuSupernodalVerified<GpuSupernodalLDLT, MatrixType_, UpLo_, Ordering_, gpusupernodal::Form::ldlt> Base;
  friend Base;

 public:
  typedef typename Base::Scalar Scalar;                    ///< Factor's precision.
  typedef typename Base::RealScalar RealScalar;            ///< Its real type.
  typedef typename Base::VectorType VectorType;            ///< Dense vector.
  typedef typename Base::PermutationType PermutationType;  ///< Type of permutationP().
  enum { UpLo = UpLo_ };                                   ///< The half that is read.

  GpuSupernodalLDLT() = default;  ///< Empty: call compute() or analyzePattern() first.
  /// Constructs the solver and calls compute(a).
  explicit GpuSupernodalLDLT(const MatrixType_& a) { this->compute(a); }
  /// Constructs the solver and calls compute(a) for any sparse expression.
  template <typename Input>
  explicit GpuSupernodalLDLT(const SparseMatrixBase<Input>& a) {
    this->compute(a);
  }
  /// Takes over the contents of `other` and leaves it empty.
  GpuSupernodalLDLT(GpuSupernodalLDLT&& other) : GpuSupernodalLDLT() { this->swap(other); }
  /// Releases this solver's contents, takes over those of `other` and leaves it empty.
  GpuSupernodalLDLT& operator=(GpuSupernodalLDLT&& other) {
    GpuSupernodalLDLT taken(std::move(other));
    this->swap(taken);
    return *this;
  }

  /// From the next factorization on, replaces each diagonal entry d by offset + scale·d: a shift of −σ counts eigenvalues
  /// below σ by inertia().negative.
  GpuSupernodalLDLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    state_.shift_offset = static_cast<double>(offset);
    state_.shift_scale = static_cast<double>(scale);
    return *this;
  }

  /// The permutation P. Rows are exchanged beyond it, inside diagonal blocks.
  const PermutationType& permutationP() const { return permutation_; }
  /// P⁻¹: its indices list the rows of A in elimination order.
  const PermutationType& permutationPinv() const { return inverse_permutation_; }

  /// The diagonal of D. D has more entries where vectorDSubdiagonal() is not zero. Throws gpusupernodal::NumericalFailure if
  /// the factorization failed.
  VectorType vectorD() const { return vector_of(pivots().diagonal); }
  /// Entry k is D(k + 1, k), which is 0 unless a pivot of order 2 begins at k.
  VectorType vectorDSubdiagonal() const { return vector_of(pivots().beside); }

  /// Numbers of positive, negative and zero eigenvalues of the factorized matrix; see FactorReport::inertia.
  gpusupernodal::Inertia inertia() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    return state_.factor_report.inertia;
  }
  /// Whether rounding errors are too small to change the signs; see FactorReport::inertia_exact.
  bool inertiaIsExact() const { return factorized_ && state_.factor_report.inertia_exact; }

  /// Determinant of the factorized matrix; infinite if it overflows, see logAbsDeterminant(). Throws
  /// gpusupernodal::NumericalFailure if the factorization failed or if it replaced pivots.
  Scalar determinant() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    return this->determinant_sign() * static_cast<RealScalar>((std::exp)(this->log_determinant()));
  }
  /// Natural logarithm of the magnitude of the determinant. Throws as determinant().
  RealScalar logAbsDeterminant() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    return static_cast<RealScalar>(this->log_determinant());
  }

 private:
  using Base::factorized_;
  using Base::inverse_permutation_;
  using Base::mutex_;
  using Base::permutation_;
  using Base::state_;

  gpusupernodal::PivotBlocks<Scalar> pivots() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return state_.solver.extract_d();
  }

  static VectorType vector_of(const std::vector<Scalar>& entries) {
    return Map<const VectorType>(entries.data(), static_cast<Index>(entries.size()));
  }
};

}  // namespace Eigen
