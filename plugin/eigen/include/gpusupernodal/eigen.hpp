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
/// Takes the place of SimplicialLLT: same members, same conventions, and where an ordering functor is given the same P
/// (COLAMDOrdering excepted, whose permutation is taken in the direction that reduces fill).
///
/// \tparam MatrixType_ a SparseMatrix of float or double with 32- or 64-bit StorageIndex, by columns or rows.
/// \tparam UpLo_ Lower, Upper: the half of A that is read; the other may be stored or not. Lower|Upper: both are stored.
/// \tparam Ordering_ AutoOrdering: options().ordering decides; else a functor of Eigen's concept (AMDOrdering, …), obeyed.
///
/// `compute`, `analyzePattern` and `factorize` take sparse matrices, maps, blocks and expressions of either precision: a
/// solver of SparseMatrix<float> inside a double ConjugateGradient is a preconditioner at half the memory.
/// A compressed matrix of the factor's precision is read in place. Outcomes are told by info(): NumericalIssue when A is
/// not positive definite; InvalidInput when memory or the device refused (report().failure has the sentence). Misuse
/// throws gpusupernodal::Error. solve() may be called by several threads at a time, which wait for each other.
/// Movable; the object moved from is as default-constructed.
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
  typedef MatrixType_ MatrixType;                                                                  ///< Of A.
  typedef Ordering_ OrderingType;                                                                  ///< The functor.
  typedef typename MatrixType::Scalar Scalar;                                                      ///< Of the factor.
  typedef typename MatrixType::RealScalar RealScalar;                                              ///< The same.
  typedef typename MatrixType::StorageIndex StorageIndex;                                          ///< Of A's indices.
  typedef SparseMatrix<Scalar, ColMajor, StorageIndex> CholMatrixType;                             ///< Of L, stored.
  typedef TriangularView<const CholMatrixType, Eigen::Lower> MatrixL;                              ///< Of matrixL().
  typedef TriangularView<const typename CholMatrixType::AdjointReturnType, Eigen::Upper> MatrixU;  ///< Of matrixU().
  typedef Matrix<Scalar, Dynamic, 1> VectorType;                                                   ///< A dense vector.
  typedef PermutationMatrix<Dynamic, Dynamic, StorageIndex> PermutationType;                       ///< Of permutationP().
  /// What Eigen's own solvers tell of themselves at compile time.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };

  GpuSupernodalLLT() = default;  ///< Empty; compute() or analyzePattern() comes first.
  /// Computes the factorization of `a`, as compute() does.
  explicit GpuSupernodalLLT(const MatrixType& a) { compute(a); }
  /// The same for any sparse expression.
  template <typename Input>
  explicit GpuSupernodalLLT(const SparseMatrixBase<Input>& a) {
    compute(a);
  }
  /// Takes what `other` holds, and leaves it empty.
  GpuSupernodalLLT(GpuSupernodalLLT&& other) : GpuSupernodalLLT() { swap(other); }
  /// Gives back what this solver held; otherwise as the constructor.
  GpuSupernodalLLT& operator=(GpuSupernodalLLT&& other) {
    GpuSupernodalLLT taken(std::move(other));
    swap(taken);
    return *this;
  }
  /// Exchanges all that two solvers hold; not while another thread uses one of them.
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

  /// Rows of the analyzed matrix; 0 before.
  Index rows() const { return static_cast<Index>(state_.solver.order()); }
  Index cols() const { return rows(); }  ///< The same.

  /// Outcome of the last phase.
  ComputationInfo info() const {
    eigen_assert(m_isInitialized && "Decomposition is not initialized.");
    return info_;
  }

  /// analyzePattern and factorize.
  template <typename Input>
  GpuSupernodalLLT& compute(const SparseMatrixBase<Input>& a) {
    gpusupernodal::eigen_detail::with_compressed(a.derived(), [this](const auto& compressed) {
      this->analyze(compressed);
      if (info_ == Success) this->factorize_compressed(compressed);
    });
    return *this;
  }
  /// The same for what converts to a MatrixType.
  GpuSupernodalLLT& compute(const MatrixType& a) { return compute(as_base(a)); }

  /// Decides ordering, structure and backend for the pattern of `a`; its values may change afterwards.
  template <typename Input>
  void analyzePattern(const SparseMatrixBase<Input>& a) {
    gpusupernodal::eigen_detail::with_compressed(a.derived(), [this](const auto& compressed) { this->analyze(compressed); });
  }
  /// The same for what converts to a MatrixType.
  void analyzePattern(const MatrixType& a) { analyzePattern(as_base(a)); }

  /// Factorizes a matrix with the analyzed pattern; reuses the analysis.
  template <typename Input>
  void factorize(const SparseMatrixBase<Input>& a) {
    eigen_assert(m_isInitialized && "You must first call analyzePattern()");
    gpusupernodal::eigen_detail::with_compressed(a.derived(),
                                                 [this](const auto& compressed) { this->factorize_compressed(compressed); });
  }
  /// The same for what converts to a MatrixType.
  void factorize(const MatrixType& a) { factorize(as_base(a)); }

  /// From the next factorization on, each diagonal entry d counts as offset + scale·d; the others stay.
  GpuSupernodalLLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    state_.shift_offset = static_cast<double>(offset);
    state_.shift_scale = static_cast<double>(scale);
    return *this;
  }

  /// P of P A P⁻¹ = L Lᵀ.
  const PermutationType& permutationP() const { return permutation_; }
  /// P⁻¹: its indices are the rows of A in the order of elimination.
  const PermutationType& permutationPinv() const { return inverse_permutation_; }

  /// L as a view of a sparse matrix that is built at the first call after a factorization.
  const MatrixL matrixL() const { return MatrixL(lower()); }
  /// Lᵀ, a view of the same matrix.
  const MatrixU matrixU() const { return MatrixU(lower().adjoint()); }

  /// Determinant of the factorized matrix; infinite where it is out of range, see logDeterminant().
  Scalar determinant() const { return static_cast<Scalar>((std::exp)(log_determinant())); }
  /// Natural logarithm of the determinant.
  Scalar logDeterminant() const { return static_cast<Scalar>(log_determinant()); }

  /// The library's options. `check_right_hand_sides` (off here at first: NaN in b gives NaN in x, as with SimplicialLLT)
  /// acts from the next solve on, `refinement` and `factor_progress` from the next factorize on, all others from the next
  /// compute or analyzePattern on. They replace what was set by solver().set_options. An ordering functor takes precedence
  /// over `ordering` and `permutation`. Not to be written while another thread solves.
  gpusupernodal::Options& options() { return state_.options; }
  /// The same, to read.
  const gpusupernodal::Options& options() const { return state_.options; }

  /// What the last calls did.
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

  /// The solver underneath, for what Eigen's interface has no word for (streams, shared plans, condition estimates).
  gpusupernodal::Solver<Scalar>& solver() { return state_.solver; }
  /// The same, to read.
  const gpusupernodal::Solver<Scalar>& solver() const { return state_.solver; }

  /// Writes what the factor takes in memory.
  template <typename Stream>
  void dumpMemory(Stream& s) const {
    const gpusupernodal::MemoryEstimate& memory = state_.solver.analyze_report().memory;
    s << "  L:         " << (memory.factor >> 20) << "Mb\n";
    s << "  index:     " << (memory.index >> 20) << "Mb\n";
    s << "  workspace: " << (memory.workspace >> 20) << "Mb\n";
    s << "  TOTAL:     " << (memory.total() >> 20) << "Mb\n";
  }

  using Base::_solve_impl;
  /// What solve() calls: x = A⁻¹ b. After a failed factorization x is NaN.
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
  /// The same for sparse right-hand sides, several columns at a time.
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

  /// Of an order that the caller chose P is that order, as with SimplicialLLT, though the library postorders its
  /// elimination tree; an empty one is the natural order.
  void set_permutation(const Order& old_of_new) {
    const Index n = rows();
    PermutationType inverse(n);
    for (Index k = 0; k < n; ++k) {
      inverse.indices()[k] = static_cast<StorageIndex>(old_of_new.empty() ? k : old_of_new[static_cast<std::size_t>(k)]);
    }
    PermutationType permutation(inverse.inverse());
    // Swapped in, not assigned: see resize_or_keep.
    inverse_permutation_.indices().swap(inverse.indices());
    permutation_.indices().swap(permutation.indices());
  }

  template <typename Compressed>
  void factorize_compressed(const Compressed& a) {
    require_square(a);
    // An analysis that failed has said so in info().
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
  mutable gpusupernodal::eigen_detail::Mutex mutex_;  ///< Of what const members change.
  mutable gpusupernodal::eigen_detail::State<Scalar> state_;
  PermutationType permutation_;
  PermutationType inverse_permutation_;
  mutable CholMatrixType lower_;
};

}  // namespace Eigen
