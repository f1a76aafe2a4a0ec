#pragma once

/// \file
/// Eigen::GpuSupernodalBase: what the solver classes have in common.

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen/dense.hpp"
#include "gpusupernodal/eigen/lock.hpp"
#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/eigen/ordering.hpp"
#include "gpusupernodal/eigen/sparse_solve.hpp"
#include "gpusupernodal/eigen/state.hpp"

namespace Eigen {

using gpusupernodal::AutoOrdering;

/// Phases, options, reports and solves of the solver classes.
///
/// \tparam Derived_ the solver class. It has `forget_results()`, called when the analysis or the factor is about to change.
/// \tparam MatrixType_ a SparseMatrix of float, double or their complex types with a 32- or 64-bit StorageIndex, column- or
/// row-major. \tparam UpLo_ the half of A that is read, or gpusupernodal::eigen_detail::whole_matrix for LU. \tparam
/// Ordering_ AutoOrdering or an Eigen ordering functor. \tparam Form_ the kind of factorization.
///
/// Exceptions: info() reports outcomes of the numbers and of the machine. Misuse throws gpusupernodal::Error.
template <typename Derived_, typename MatrixType_, int UpLo_, typename Ordering_, gpusupernodal::Form Form_>
class GpuSupernodalBase : public SparseSolverBase<Derived_> {
  typedef SparseSolverBase<Derived_> SolverBase;

 public:
  typedef MatrixType_ MatrixType;                                             ///< Type of A.
  typedef Ordering_ OrderingType;                                             ///< Ordering functor.
  typedef typename MatrixType::Scalar Scalar;                                 ///< Factor's precision.
  typedef typename MatrixType::RealScalar RealScalar;                         ///< Real type of it.
  typedef typename MatrixType::StorageIndex StorageIndex;                     ///< Index type of A.
  typedef Matrix<Scalar, Dynamic, 1> VectorType;                              ///< Dense vector.
  typedef PermutationMatrix<Dynamic, Dynamic, StorageIndex> PermutationType;  ///< Type of permutations.
  /// The compile-time constants that Eigen's sparse solvers provide.
  enum { ColsAtCompileTime = MatrixType::ColsAtCompileTime, MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime };

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
  Derived_& compute(const SparseMatrixBase<Input>& a) {
    gpusupernodal::eigen_detail::with_compressed(a.derived(), [this](const auto& compressed) {
      this->analyze(compressed);
      if (info_ == Success) this->factorize_compressed(compressed);
    });
    return this->derived();
  }
  /// Overload for arguments that convert to MatrixType.
  Derived_& compute(const MatrixType& a) { return compute(as_base(a)); }

  /// Chooses ordering and backend and computes the structure of the factors for the pattern of `a`. The values may change
  /// later. LU also chooses its exchange of rows by the values, except on dense storage.
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

  /// The library's options, for writing. `check_right_hand_sides` takes effect at the next solve, `refinement` and
  /// `factor_progress` at the next factorize, all others at the next compute or analyzePattern. `check_right_hand_sides` is
  /// off by default here: NaN in b gives NaN in x, as with Eigen's solvers. These options override those set by
  /// solver().set_options. An ordering functor overrides `ordering` and `permutation`. analyze throws
  /// InvalidInput if `form` is not that of the class. Precondition: no other thread solves.
  gpusupernodal::Options& options() { return state_.options; }
  /// The library's options, read-only.
  const gpusupernodal::Options& options() const { return state_.options; }

  /// Reports of the last analysis, factorization and solve.
  gpusupernodal::EigenReport report() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    gpusupernodal::EigenReport result;
    result.analyze = state_.solver.analyze_report();
    result.factor = state_.factor_report;
    result.solve = state_.solver.solve_report();
    result.relative_shift = state_.relative_shift;
    result.shifted_attempts = state_.shifted_attempts;
    result.failure = state_.failure;
    return result;
  }

  /// The underlying solver, for features that Eigen's interface lacks (streams, shared plans, condition estimates).
  gpusupernodal::Solver<Scalar>& solver() { return state_.solver; }
  /// The underlying solver, read-only.
  const gpusupernodal::Solver<Scalar>& solver() const { return state_.solver; }

  /// Writes the memory of factors, index and workspace in MiB to `s`.
  template <typename Stream>
  void dumpMemory(Stream& s) const {
    const gpusupernodal::MemoryEstimate& memory = state_.solver.analyze_report().memory;
    s << "  factors:   " << (memory.factor >> 20) << "Mb\n";
    s << "  index:     " << (memory.index >> 20) << "Mb\n";
    s << "  workspace: " << (memory.workspace >> 20) << "Mb\n";
    s << "  TOTAL:     " << (memory.total() >> 20) << "Mb\n";
  }

  using SolverBase::_solve_impl;
  /// Implements solve(): x = A⁻¹ b. Sets x to NaN if the factorization failed.
  template <typename Rhs, typename Dest>
  void _solve_impl(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x) const {
    this->derived().solve_system(b, x, gpusupernodal::System::a);
  }
  /// Implements solve() for sparse right-hand sides, in batches of columns.
  template <typename Rhs, typename Dest>
  void _solve_impl(const SparseMatrixBase<Rhs>& b, SparseMatrixBase<Dest>& x) const {
    gpusupernodal::eigen_detail::solve_sparse(*this, b.derived(), x.derived());
  }
  /// Implements solve() for A or its transpose.
  template <typename Rhs, typename Dest>
  void solve_system(const MatrixBase<Rhs>& b, MatrixBase<Dest>& x, gpusupernodal::System system) const {
    eigen_assert(factorized_ &&
                 "The decomposition is not in a valid state for solving, you must first call either "
                 "compute() or analyzePattern()/factorize()");
    eigen_assert(rows() == b.rows());
    if (info_ != Success) {
      gpusupernodal::eigen_detail::fill_with_nan(x);
      return;
    }
    if (b.size() == 0) return;
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    gpusupernodal::eigen_detail::use_options_of_solve(state_);
    gpusupernodal::eigen_detail::solve(state_, b.derived(), x.derived(), system);
  }

 protected:
  typedef std::vector<std::int64_t> Order;  ///< Rows or columns of A in elimination order.

  using SolverBase::m_isInitialized;
  GpuSupernodalBase() { state_.options.form = Form_; }  ///< Empty.

  /// Exchanges the contents of two solvers.
  void swap(GpuSupernodalBase& other) {
    std::swap(m_isInitialized, other.m_isInitialized);
    std::swap(info_, other.info_);
    std::swap(analyzed_, other.analyzed_);
    std::swap(factorized_, other.factorized_);
    std::swap(state_, other.state_);
    permutation_.indices().swap(other.permutation_.indices());
    inverse_permutation_.indices().swap(other.inverse_permutation_.indices());
  }

  /// Logarithm of the determinant's magnitude. Throws what gpusupernodal::Solver::log_determinant throws.
  double log_determinant() const {
    const gpusupernodal::eigen_detail::Lock lock(mutex_);
    return state_.solver.log_determinant();
  }

  ComputationInfo info_ = Success;                            ///< Outcome of the last analysis or factorization.
  bool analyzed_ = false;                                     ///< Whether an analysis succeeded.
  bool factorized_ = false;                                   ///< Whether a factorization ended, with any outcome.
  mutable gpusupernodal::eigen_detail::Mutex mutex_;          ///< Protects the members that const functions change.
  mutable gpusupernodal::eigen_detail::State<Scalar> state_;  ///< The solver, its options and reports.
  PermutationType permutation_;                               ///< P.
  PermutationType inverse_permutation_;                       ///< P⁻¹.

 private:
  static const SparseMatrixBase<MatrixType>& as_base(const MatrixType& a) { return a; }

  template <typename Compressed>
  void require_square(const Compressed& a) const {
    eigen_assert(a.rows() == a.cols());
    if (a.rows() != a.cols()) throw gpusupernodal::InvalidInput("the matrix is not square", __FILE__, __LINE__);
  }

  void require_form() const {
    if (state_.options.form == Form_) return;
    throw gpusupernodal::InvalidInput(
        "options().form was changed; use GpuSupernodalLLT for the form llt, GpuSupernodalLDLT for ldlt and GpuSupernodalLU "
        "for lu",
        __FILE__, __LINE__);
  }

  template <typename Compressed>
  void analyze(const Compressed& a) {
    require_square(a);
    require_form();
    m_isInitialized = true;
    this->derived().forget_results();
    analyzed_ = factorized_ = false;
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(state_.failure, [&] {
      gpusupernodal::Options options = state_.options;
      gpusupernodal::eigen_detail::choose_ordering<OrderingType, UpLo_>(a, options);
      const bool symmetric = Form_ != gpusupernodal::Form::lu;
      const bool user = symmetric && options.ordering == gpusupernodal::Ordering::user;
      const bool natural = symmetric && options.ordering == gpusupernodal::Ordering::natural && options.last_rows.empty();
      Order given = user ? options.permutation : Order();
      state_.solver.set_options(std::move(options));
      state_.solver.analyze(gpusupernodal::eigen_detail::matrix_view<UpLo_>(
          a, gpusupernodal::eigen_detail::values_of<UpLo_>(a, 1.0, state_.values)));
      set_permutation(natural ? Order() : given.empty() ? state_.solver.old_of_new() : given);
      analyzed_ = true;
      return Success;
    });
  }

  /// Sets P. For Cholesky and LDLᵀ an order chosen by the caller becomes P unchanged, as with SimplicialLLT, although the
  /// library postorders the elimination tree; for LU P is the order used, as with SparseLU. An empty `old_of_new` means the
  /// natural order.
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
    this->derived().forget_results();
    factorized_ = false;
    info_ = InvalidInput;
    info_ = gpusupernodal::eigen_detail::outcome_of(state_.failure, [&] {
      gpusupernodal::eigen_detail::use_options_of_factorize(state_);
      const ComputationInfo outcome = gpusupernodal::eigen_detail::factorize<UpLo_>(state_, a);
      // Other pivots may have come with another order.
      if (Form_ == gpusupernodal::Form::lu && state_.factor_report.repivoted > 0)
        set_permutation(state_.solver.old_of_new());
      return outcome;
    });
    factorized_ = true;
  }
};

}  // namespace Eigen
