#pragma once

/// \file
/// The library as Eigen sparse solvers: Eigen::GpuSupernodalLLT, a replacement for Eigen::SimplicialLLT,
/// Eigen::GpuSupernodalLDLT for Eigen::SimplicialLDLT, Eigen::GpuSupernodalLU for Eigen::SparseLU, and
/// Eigen::GpuSupernodalCG for Eigen::ConjugateGradient; Eigen::GpuSupernodalSolver, which chooses its method; and
/// Eigen::gpuProduct, the product of sparse matrices.

#include <Eigen/SparseCore>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "gpusupernodal/eigen/base.hpp"
#include "gpusupernodal/eigen/cg.hpp"
#include "gpusupernodal/eigen/factor.hpp"
#include "gpusupernodal/eigen/ldlt.hpp"
#include "gpusupernodal/eigen/lock.hpp"
#include "gpusupernodal/eigen/lu.hpp"
#include "gpusupernodal/eigen/ordering.hpp"
#include "gpusupernodal/eigen/product.hpp"
#include "gpusupernodal/eigen/system.hpp"

namespace Eigen {

/// Sparse Cholesky factorization P A Pᵀ = L Lᵀ of a symmetric positive definite matrix, or P A Pᵀ = L Lᴴ of a Hermitian
/// positive definite one, on the host or on a CUDA device.
///
/// Drop-in replacement for SimplicialLLT: it has the same members and conventions. With an ordering functor P is the same,
/// too, except for COLAMDOrdering, whose permutation is applied in the direction that reduces fill.
///
/// \tparam MatrixType_ a SparseMatrix of float, double or their complex types with a 32- or 64-bit StorageIndex, column- or
/// row-major. A solver of a complex matrix takes complex right-hand sides.
/// \tparam UpLo_ Lower or Upper: the half of A that is read; the other half may be stored. Lower|Upper: both are stored.
/// \tparam Ordering_ AutoOrdering: options().ordering decides. Otherwise an Eigen ordering functor (AMDOrdering, …), obeyed.
///
/// `compute`, `analyzePattern` and `factorize` take sparse matrices, maps, blocks and expressions of either precision: a
/// solver of SparseMatrix<float> inside a double ConjugateGradient is a preconditioner at half the memory.
/// A compressed matrix in the factor's precision is read in place, but the upper half of a complex one is copied. info()
/// returns NumericalIssue when A is not positive definite and InvalidInput when memory ran out or the device failed
/// (report().failure says why). Misuse throws gpusupernodal::Error. Several threads may call solve() concurrently; the calls
/// run one after another. Movable; a moved-from object is as default-constructed.
template <typename MatrixType_, int UpLo_ = Lower, typename Ordering_ = AutoOrdering>
class GpuSupernodalLLT : public GpuSupernodalBase<GpuSupernodalLLT<MatrixType_, UpLo_, Ordering_>, MatrixType_, UpLo_,
                                                  Ordering_, gpusupernodal::Form::llt> {
  static_assert(std::is_same<typename MatrixType_::RealScalar, float>::value ||
                    std::is_same<typename MatrixType_::RealScalar, double>::value,
                "GpuSupernodalLLT factorizes matrices of float or double, real or complex");
  static_assert((UpLo_ & (Lower | Upper)) != 0, "GpuSupernodalLLT reads the half Lower or Upper of the matrix");

  typedef GpuSupernodalBase<GpuSupernodalLLT, MatrixType_, UpLo_, Ordering_, gpusupernodal::Form::llt> Base;
  friend Base;

 public:
  typedef typename Base::Scalar Scalar;                                                            ///< Factor's precision.
  typedef typename Base::RealScalar RealScalar;                                                    ///< Real type of it.
  typedef typename Base::StorageIndex StorageIndex;                                                ///< Index type of A.
  typedef typename Base::PermutationType PermutationType;                                          ///< permutationP()'s.
  typedef SparseMatrix<Scalar, ColMajor, StorageIndex> CholMatrixType;                             ///< Stored L.
  typedef TriangularView<const CholMatrixType, Eigen::Lower> MatrixL;                              ///< Type of matrixL().
  typedef TriangularView<const typename CholMatrixType::AdjointReturnType, Eigen::Upper> MatrixU;  ///< Type of matrixU().
  enum { UpLo = UpLo_ };  ///< The half that is read.

  GpuSupernodalLLT() = default;  ///< Empty: call compute() or analyzePattern() first.
  /// Constructs the solver and calls compute(a).
  explicit GpuSupernodalLLT(const MatrixType_& a) { this->compute(a); }
  /// Constructs the solver and calls compute(a) for any sparse expression.
  template <typename Input>
  explicit GpuSupernodalLLT(const SparseMatrixBase<Input>& a) {
    this->compute(a);
  }
  /// Takes over the contents of `other` and leaves it empty.
  GpuSupernodalLLT(GpuSupernodalLLT&& other) : GpuSupernodalLLT() { swap(other); }
  /// Releases this solver's contents, takes over those of `other` and leaves it empty.
  GpuSupernodalLLT& operator=(GpuSupernodalLLT&& other) {
    GpuSupernodalLLT taken(std::move(other));
    swap(taken);
    return *this;
  }
  /// Exchanges the contents of two solvers. Precondition: no other thread uses either of them.
  void swap(GpuSupernodalLLT& other) {
    Base::swap(other);
    std::swap(lower_is_built_, other.lower_is_built_);
    lower_.swap(other.lower_);
  }

  /// From the next factorization on, replaces each diagonal entry d by offset + scale·d.
  GpuSupernodalLLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    state_.shift_offset = static_cast<double>(offset);
    state_.shift_scale = static_cast<double>(scale);
    return *this;
  }

  /// The permutation P in P A P⁻¹ = L Lᵀ.
  const PermutationType& permutationP() const { return permutation_; }
  /// P⁻¹: its indices list the rows of A in elimination order.
  const PermutationType& permutationPinv() const { return inverse_permutation_; }

  /// L as a view of a sparse matrix, which the first call after a factorization builds.
  const MatrixL matrixL() const { return MatrixL(lower()); }
  /// Lᵀ, or Lᴴ, a view of the same matrix.
  const MatrixU matrixU() const { return MatrixU(lower().adjoint()); }

  /// Determinant of the factorized matrix; infinite if it overflows, see logDeterminant().
  Scalar determinant() const { return Scalar(static_cast<RealScalar>((std::exp)(this->log_determinant()))); }
  /// Natural logarithm of the determinant.
  Scalar logDeterminant() const { return Scalar(static_cast<RealScalar>(this->log_determinant())); }

 private:
  using Base::factorized_;
  using Base::inverse_permutation_;
  using Base::mutex_;
  using Base::permutation_;
  using Base::state_;

  void forget_results() { lower_is_built_ = false; }

  const CholMatrixType& lower() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    if (!lower_is_built_) {
      typename Base::Order position = state_.solver.old_of_new();
      for (std::int64_t& p : position) p = permutation_.indices()[static_cast<Index>(p)];
      CholMatrixType built =
          gpusupernodal::eigen_detail::lower_factor<Scalar, StorageIndex>(state_.solver.extract_l(), position);
      lower_.swap(built);
      lower_is_built_ = true;
    }
    return lower_;
  }

  mutable bool lower_is_built_ = false;
  mutable CholMatrixType lower_;
};

}  // namespace Eigen
