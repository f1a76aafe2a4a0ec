#pragma once

/// \file
/// Eigen::GpuSupernodalLLT: the library as an Eigen sparse solver, a replacement for Eigen::SimplicialLLT.

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen/factor.hpp"
#include "gpusupernodal/eigen/lock.hpp"
#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/eigen/ordering.hpp"
#include "gpusupernodal/eigen/sparse_solve.hpp"
#include "gpusupernodal/eigen/state.hpp"

namespace Eigen {

using gpusupernodal::AutoOrdering;

/// Sparse Cholesky factorization P A Pᵀ = L Lᵀ of a symmetric positive definite matrix, on the host or on a CUDA device.
///
/// Drop-in replacement for SimplicialLLT: it has the same members and conventions. With an ordering functor P is the same,
/// too, except for COLAMDOrdering, whose permutation is applied in the direction that reduces fill.
///
/// \tparam MatrixType_ a SparseMatrix of float or double with a 32- or 64-bit StorageIndex, column- or row-major.
/// \tparam UpLo_ Lower or Upper: the half of A that is read; the other half may be stored. Lower|Upper: both are stored.
/// \tparam Ordering_ AutoOrdering: options().ordering decides. Otherwise an Eigen ordering functor (AMDOrdering, …), obeyed.
///
/// `compute`, `analyzePattern` and `factorize` take sparse matrices, maps, blocks and expressions of either precision: a
/// solver of SparseMatrix<float> inside a double ConjugateGradient is a preconditioner at half the memory.
/// A compressed matrix in the factor's precision is read in place. info() returns NumericalIssue when A is not positive
/// definite and InvalidInput when memory ran out or the device failed (report().failure says why). Misuse throws
/// gpusupernodal::Error. Several threads may call solve() concurrently; the calls run one after another.
/// Movable; a moved-from object is as default-constructed.
template <typename MatrixType_, int UpLo_ = Lower, typename Ordering_ = AutoOrdering>
class GpuSupernodalLLT : public SparseSolverBase<GpuSupernodalLLT<MatrixType_, UpLo_, Ordering_>> {
  static_assert(!NumTraits<typename MatrixType_::Scalar>::IsComplex,
                "GpuSupernodalLLT factorizes real matrices only: complex ones are not supported");
  static_assert(NumTraits<typename MatrixType_::Scalar>::IsComplex ||
                    std::is_same<typename MatrixType_::Scalar, float>::value ||
                    std::is_same<typename MatrixType_::Scalar, double>::value,
                "GpuSupernodalLLT factorizes matrices of float or double");

  typedef SparseSolverBase<GpuSupernodalLLT> Base;
  using Base::m_isInitialized;

 public:
  typedef MatrixType_ MatrixType;                                                                  ///< Type of A.
  typedef Ordering_ OrderingType;                                                                  ///< Ordering functor.
  typedef typename MatrixType::Scalar Scalar;                                                      ///< Factor's precision.
  typedef typename MatrixType::RealScalar RealScalar;                                              ///< Equal to Scalar.
  typedef typename MatrixType::StorageIndex StorageIndex;                                          ///< Index type of A.
  typedef SparseMatrix<Scalar, ColMajor, StorageIndex> CholMatrixType;                             ///< Stored L.
  typedef TriangularView<const CholMatrixType, Eigen::Lower> MatrixL;                              ///< Type of matrixL().
  typedef TriangularView<const typename CholMatrixType::AdjointReturnType, Eigen::Upper> MatrixU;  ///< Type of matrixU().
  typedef Matrix<Scalar, Dynamic, 1> VectorType;                                                   ///< Dense vector.
  typedef PermutationMatrix<Dynamic, Dynamic, StorageIndex> PermutationType;                       ///< permutationP()'s.
  /// The compile-time constants that Eigen's sparse solvers provide.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };

  GpuSupernodalLLT() = default;  ///< Empty: call compute() or analyzePattern() first.
  /// Constructs the solver and calls compute(a).
  explicit GpuSupernodalLLT(const MatrixType& a) { compute(a); }
  /// Constructs the solver and calls compute(a) for any sparse expression.
  template <typename Input>
  explicit GpuSupernodalLLT(const SparseMatrixBase<Input>& a) {
    compute(a);
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
    std::swap(m_isInitialized, other.m_isInitialized);
    std::swap(info_, other.info_);
    std::swap(analyzed_, other.analyzed_);
    std::swap(factorized_, other.factorized_);
    std::swap(lower_is_built_, other.lower_is_built_);
    std::swap(state_, other.state_);
    permutation_.indices().swap(other.permutation_.indices());
    inverse_permutation_.indices().swap(other.inverse_permutation_.indices());
    lower_.swap(other.lower_);
  }

  /// Rows of the analyzed matrix; 0 before the first analysis.
  Index rows() const { return static_cast<Index>(state_.solver.order()); }
  Index cols() const { return rows(); }  ///< Equal to rows().

  /// Outcome of the last analysis or factorization.
  ComputationInfo info() const {
    eigen_assert(m_isInitialized && "Decomposition is not initialized.");
    return info_;
  }

  /// Analyzes and factorizes `a`: analyzePattern(a), then factorize(a). Throws InvalidInput if `a` is not square.
  template <typename Input>
  GpuSupernodalLLT& compute(const SparseMatrixBase<Input>& a) {
    gpusupernodal::eigen_detail::with_compressed(a.derived(), [this](const auto& compressed) {
      this->analyze(compressed);
      if (info_ == Success) this->factorize_compressed(compressed);
    });
    return *this;
  }
  /// Overload for arguments that convert to MatrixType.
  GpuSupernodalLLT& compute(const MatrixType& a) { return compute(as_base(a)); }

  /// Chooses ordering and backend and computes the structure of L for the pattern of `a`. The values may change later.
  template <typename Input>
  void analyzePattern(const SparseMatrixBase<Input>& a) {
    gpusupernodal::eigen_detail::with_compressed(a.derived(), [this](const auto& compressed) { this->analyze(compressed); });
  }
  /// Overload for arguments that convert to MatrixType.
  void analyzePattern(const MatrixType& a) { analyzePattern(as_base(a)); }

  /// Factorizes `a`, reusing the analysis. Precondition: `a` has the analyzed pattern.
  template <typename Input>
  void factorize(const SparseMatrixBase<Input>& a) {
    eigen_assert(m_isInitialized && "You must first call analyzePattern()");
    gpusupernodal::eigen_detail::with_compressed(a.derived(),
                                                 [this](const auto& compressed) { this->factorize_compressed(compressed); });
  }
  /// Overload for arguments that convert to MatrixType.
  void factorize(const MatrixType& a) { factorize(as_base(a)); }

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
  /// Lᵀ, a view of the same matrix.
  const MatrixU matrixU() const { return MatrixU(lower().adjoint()); }

  /// Determinant of the factorized matrix; infinite if it overflows, see logDeterminant().
  Scalar determinant() const { return static_cast<Scalar>((std::exp)(log_determinant())); }
  /// Natural logarithm of the determinant.
  Scalar logDeterminant() const { return static_cast<Scalar>(log_determinant()); }

  /// The library's options, for writing. `check_right_hand_sides` takes effect at the next solve, `refinement` and
  /// `factor_progress` at the next factorize, all others at the next compute or analyzePattern. `check_right_hand_sides` is
  /// off by default here: NaN in b gives NaN in x, as with SimplicialLLT. These options override those set by
  /// solver().set_options. An ordering functor overrides `ordering` and `permutation`. Precondition: no other thread solves.
  gpusupernodal::Options& options() { return state_.options; }
  /// The library's options, read-only.
  const gpusupernodal::Options& options() const { return state_.options; }

  /// Reports of the last analysis, factorization and solve.
  gpusupernodal::EigenReport report() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    gpusupernodal::EigenReport told;
    told.analyze = state_.solver.analyze_report();
    told.factor = state_.factor_report;
    told.solve = state_.solver.solve_report();
    told.relative_shift = state_.relative_shift;
    told.shifted_attempts = state_.shifted_attempts;
    told.failure = state_.failure;
    return told;
  }

  /// The underlying solver, for features that Eigen's interface lacks (streams, shared plans, condition estimates).
  gpusupernodal::Solver<Scalar>& solver() { return state_.solver; }
  /// The underlying solver, read-only.
  const gpusupernodal::Solver<Scalar>& solver() const { return state_.solver; }

  /// Writes the memory of factor, index and workspace in MiB to `s`.
  template <typename Stream>
  void dumpMemory(Stream& s) const {
    const gpusupernodal::MemoryEstimate& memory = state_.solver.analyze_report().memory;
    s << "  L:         " << (memory.factor >> 20) << "Mb\n";
    s << "  index:     " << (memory.index >> 20) << "Mb\n";
    s << "  workspace: " << (memory.workspace >> 20) << "Mb\n";
    s << "  TOTAL:     " << (memory.total() >> 20) << "Mb\n";
  }

  using Base::_solve_impl;
  /// Implements solve(): x = A⁻¹ b. Sets x to NaN if the factorization failed.
  template <typename Rhs, typename Dest>
  void _solve_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    eigen_assert(factorized_ &&
                 "The decomposition is not in a valid state for solving, you must first call either "
                 "compute() or analyzePattern()/factorize()");
    eigen_assert(rows() == b.rows());
    if (info_ != Success) {
      x.setConstant(
          typename Dest::Scalar((std::numeric_limits<typename NumTraits<typename Dest::Scalar>::Real>::quiet_NaN)()));
      return;
    }
    if (b.size() == 0) return;
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    gpusupernodal::eigen_detail::use_options_of_solve(state_);
    gpusupernodal::eigen_detail::solve(state_, b.derived(), x.derived());
  }
  /// Implements solve() for sparse right-hand sides, in batches of columns.
  template <typename Rhs, typename Dest>
  void _solve_impl(const SparseMatrixBase<Rhs>& b, SparseMatrixBase<Dest>& x) const {
    if constexpr (int(Rhs::ColsAtCompileTime) == 1 || int(Dest::ColsAtCompileTime) == 1) {
      Base::_solve_impl(b, x);
    } else {
      gpusupernodal::eigen_detail::solve_sparse(*this, b.derived(), x.derived());
    }
  }

 private:
  typedef std::vector<std::int64_t> Order;

  static const SparseMatrixBase<MatrixType>& as_base(const MatrixType& a) { return a; }

  template <typename Compressed>
  void require_square(const Compressed& a) const {
    eigen_assert(a.rows() == a.cols());
    if (a.rows() != a.cols()) throw gpusupernodal::InvalidInput("the matrix is not square", __FILE__, __LINE__);
  }

  template <typename Compressed>
  void analyze(const Compressed& a) {
    require_square(a);
    m_isInitialized = true;
    analyzed_ = factorized_ = lower_is_built_ = false;
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(state_.failure, [&] {
      gpusupernodal::Options options = state_.options;
      gpusupernodal::eigen_detail::choose_ordering<OrderingType, UpLo_>(a, options);
      Order given = options.ordering == gpusupernodal::Ordering::user ? options.permutation : Order();
      const bool natural = options.ordering == gpusupernodal::Ordering::natural && options.last_rows.empty();
      state_.solver.set_options(std::move(options));
      state_.solver.analyze(
          gpusupernodal::eigen_detail::matrix_view<UpLo_>(a, gpusupernodal::eigen_detail::values_of(a, 1.0, state_.values)));
      set_permutation(natural ? Order() : given.empty() ? state_.solver.old_of_new() : given);
      analyzed_ = true;
      return Success;
    });
  }

  /// Sets P. An order chosen by the caller becomes P unchanged, as with SimplicialLLT, although the library postorders the
  /// elimination tree. An empty `old_of_new` means the natural order.
  void set_permutation(const Order& old_of_new) {
    const Index n = rows();
    PermutationType inverse(n);
    for (Index k = 0; k < n; ++k) {
      inverse.indices()[k] = static_cast<StorageIndex>(old_of_new.empty() ? k : old_of_new[static_cast<std::size_t>(k)]);
    }
    PermutationType permutation(inverse.inverse());
    // Swap instead of assigning: see resize_or_keep.
    inverse_permutation_.indices().swap(inverse.indices());
    permutation_.indices().swap(permutation.indices());
  }

  template <typename Compressed>
  void factorize_compressed(const Compressed& a) {
    require_square(a);
    // The analysis failed, and info() already says so.
    if (m_isInitialized && !analyzed_) return;
    factorized_ = lower_is_built_ = false;
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(state_.failure, [&] {
      gpusupernodal::eigen_detail::use_options_of_factorize(state_);
      return gpusupernodal::eigen_detail::factorize<UpLo_>(state_, a);
    });
    factorized_ = true;
  }

  const CholMatrixType& lower() const {
    eigen_assert(factorized_ && "The matrix is not factorized");
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    if (!lower_is_built_) {
      Order position = state_.solver.old_of_new();
      for (std::int64_t& p : position) p = permutation_.indices()[static_cast<Index>(p)];
      CholMatrixType built =
          gpusupernodal::eigen_detail::lower_factor<Scalar, StorageIndex>(state_.solver.extract_l(), position);
      lower_.swap(built);
      lower_is_built_ = true;
    }
    return lower_;
  }

  double log_determinant() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return state_.solver.log_determinant();
  }

  ComputationInfo info_ = Success;
  bool analyzed_ = false;
  bool factorized_ = false;
  mutable bool lower_is_built_ = false;
  mutable gpusupernodal::eigen_detail::Mutex mutex_;  ///< Protects the members that const functions change.
  mutable gpusupernodal::eigen_detail::State<Scalar> state_;
  PermutationType permutation_;
  PermutationType inverse_permutation_;
  mutable CholMatrixType lower_;
};

}  // namespace Eigen
