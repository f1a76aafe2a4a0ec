#pragma once

/// \file
/// The part of the solver classes that does not depend on the matrix type: the solver, its reports, and solves.

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpusupernodal/eigen/dense.hpp"
#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal {

/// Reports of the last calls of a solver class.
struct EigenReport {
  AnalyzeReport analyze;  ///< Last compute or analyzePattern.
  FactorReport factor;    ///< Last compute or factorize.
  SolveReport solve;      ///< Last solve.
  /// The diagonal was multiplied by 1 + relative_shift, because the Cholesky factorization of a double matrix in float broke
  /// down; 0 if not.
  double relative_shift = 0.0;
  int shifted_attempts = 0;  ///< Factorizations tried with a shift.
  std::string failure;       ///< Why info() is InvalidInput (memory or device); empty otherwise.
};

namespace eigen_detail {

/// Solver, reports and workspaces. Movable.
template <class Scalar>
struct State {
  State() { options.check_right_hand_sides = false; }  // NaN in b gives NaN in x, as with SimplicialLLT.

  Options options;
  Solver<Scalar> solver;
  FactorReport factor_report;
  std::string failure;
  std::vector<Scalar> values;                                  ///< Copy of values that cannot be read in place.
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> work;  ///< Workspace of solves that cannot run in place.
  std::vector<double> column_scales;
  double relative_shift = 0.0;
  int shifted_attempts = 0;
  double shift_offset = 0.0;
  double shift_scale = 1.0;
};

/// Runs `phase`. Turns OutOfMemory and DeviceError into InvalidInput and sets `failure` to the message; other exceptions
/// (misuse) propagate.
template <class Phase>
Eigen::ComputationInfo outcome_of(std::string& failure, Phase&& phase) {
  failure.clear();
  try {
    return phase();
  } catch (const OutOfMemory& error) {
    failure = error.what();
  } catch (const DeviceError& error) {
    failure = error.what();
  }
  return Eigen::InvalidInput;
}

/// Passes to the solver the options that take effect at the next factorize; the others wait for the next analysis.
template <class Scalar>
void use_options_of_factorize(State<Scalar>& state) {
  const Options& now = state.solver.options();
  const Options& wanted = state.options;
  // Callbacks cannot be compared, so the options are copied whenever either side has one.
  if (now.refinement.max_steps == wanted.refinement.max_steps &&
      now.refinement.backward_error == wanted.refinement.backward_error && !now.factor_progress && !wanted.factor_progress)
    return;
  Options options = now;
  options.refinement = wanted.refinement;
  options.factor_progress = wanted.factor_progress;
  state.solver.set_options(std::move(options));
}

/// Passes to the solver the option that takes effect at the next solve.
template <class Scalar>
void use_options_of_solve(State<Scalar>& state) {
  if (state.solver.options().check_right_hand_sides == state.options.check_right_hand_sides) return;
  Options options = state.solver.options();
  options.check_right_hand_sides = state.options.check_right_hand_sides;
  state.solver.set_options(std::move(options));
}

/// Factorizes the `UpLo` half of `a`, or all of it, with its diagonal multiplied by `diagonal_scale`, plus the solver's
/// shift.
template <int UpLo, class Scalar, class Compressed>
bool try_factorize(State<Scalar>& state, const Compressed& a, double diagonal_scale) {
  state.solver.factorize(matrix_view<UpLo>(a, values_of<UpLo>(a, diagonal_scale, state.values)));
  state.factor_report = state.solver.factor_report();
  return state.factor_report.status == Status::success;
}

/// Factorizes the symmetric `a`. Rounding a double matrix to float can make it indefinite. If Cholesky then fails, it is
/// tried again with the diagonal scaled up by growing factors, at most by n·eps, the most that rounding explains [Higham02,
/// Theorem 10.7]. Rounding does not explain a diagonal entry that is not positive, so such a matrix is not tried again.
template <int UpLo, class Scalar, class Compressed>
Eigen::ComputationInfo factorize_symmetric(State<Scalar>& state, const Compressed& a) {
  state.relative_shift = 0.0;
  state.shifted_attempts = 0;
  state.solver.set_shift(state.shift_offset);
  if (try_factorize<UpLo>(state, a, state.shift_scale)) return Eigen::Success;
  using Real = typename Eigen::NumTraits<Scalar>::Real;
  if constexpr (sizeof(Real) < sizeof(typename Compressed::RealScalar)) {
    const auto eps = static_cast<double>((std::numeric_limits<Real>::epsilon)());
    const double n = static_cast<double>(a.cols());
    const double largest = (n < 10 ? 10 : n) * eps;
    const bool may_be_rounding = state.factor_report.status == Status::not_positive_definite &&
                                 has_positive_diagonal(a, state.shift_scale, state.shift_offset);
    for (double shift = eps; may_be_rounding && shift <= largest; shift *= 4) {
      ++state.shifted_attempts;
      if (try_factorize<UpLo>(state, a, state.shift_scale * (1 + shift))) {
        state.relative_shift = shift;
        return Eigen::Success;
      }
    }
  }
  return Eigen::NumericalIssue;
}

/// Factorizes `a`: all of it by LU, a half of it by Cholesky or LDLᵀ.
template <int UpLo, class Scalar, class Compressed>
Eigen::ComputationInfo factorize(State<Scalar>& state, const Compressed& a) {
  if constexpr (UpLo == whole_matrix) {
    return try_factorize<UpLo>(state, a, 1.0) ? Eigen::Success : Eigen::NumericalIssue;
  } else {
    return factorize_symmetric<UpLo>(state, a);
  }
}

/// Solves the system `part` for b or x in another precision: each column is scaled into the range of the factor's precision.
template <class Scalar, class Rhs, class Dest>
void solve_converted(State<Scalar>& state, const Rhs& b, Dest& x, System part) {
  using RhsReal = typename Eigen::NumTraits<typename Rhs::Scalar>::Real;
  using DestReal = typename Eigen::NumTraits<typename Dest::Scalar>::Real;
  state.column_scales.resize(static_cast<std::size_t>(b.cols()));
  resize_or_keep(state.work, b.rows(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    const double scale = scale_towards_one(b.col(j));
    state.column_scales[static_cast<std::size_t>(j)] = scale;
    state.work.col(j) = (b.col(j) * static_cast<RhsReal>(scale)).template cast<Scalar>();
  }
  state.solver.solve(const_dense_view<Scalar>(state.work), dense_view<Scalar>(state.work), part);
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    const auto inverse = static_cast<DestReal>(1.0 / state.column_scales[static_cast<std::size_t>(j)]);
    x.col(j) = state.work.col(j).template cast<typename Dest::Scalar>() * inverse;
  }
}

/// Solves the system `part` in the factor's precision: directly if both are arrays, through a workspace otherwise.
template <class Scalar, class Rhs, class Dest>
void solve_same(State<Scalar>& state, const Rhs& b, Dest& x, System part) {
  if constexpr (IsColumnArray<Dest, Scalar>::value) {
    if (x.innerStride() == 1) {
      const DenseView<Scalar> to = dense_view<Scalar>(x);
      if constexpr (IsColumnArray<Rhs, Scalar>::value) {
        const DenseView<const Scalar> from = const_dense_view<Scalar>(b);
        if (b.innerStride() == 1 && may_share<Scalar>(from, to)) {
          state.solver.solve(from, to, part);
          return;
        }
      }
      resize_or_keep(state.work, b.rows(), b.cols());
      state.work = b;
      state.solver.solve(const_dense_view<Scalar>(state.work), to, part);
      return;
    }
  }
  resize_or_keep(state.work, b.rows(), b.cols());
  state.work = b;
  state.solver.solve(const_dense_view<Scalar>(state.work), dense_view<Scalar>(state.work), part);
  x = state.work;
}

/// Solves the system `part`, A, its transpose or its adjoint, for any dense expressions, which may overlap. A complex b with
/// a real A is solved as real and imaginary part.
template <class Scalar, class Rhs, class Dest>
void solve(State<Scalar>& state, const Rhs& b, Dest& x, System part) {
  using RhsScalar = typename Rhs::Scalar;
  static_assert(!Eigen::NumTraits<Scalar>::IsComplex || Eigen::NumTraits<RhsScalar>::IsComplex,
                "a complex matrix needs complex right-hand sides: b.cast<std::complex<double>>()");
  if constexpr (Eigen::NumTraits<RhsScalar>::IsComplex && !Eigen::NumTraits<Scalar>::IsComplex) {
    using Real = typename Eigen::NumTraits<RhsScalar>::Real;
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> real = b.real();
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> imaginary = b.imag();
    solve(state, real, real, part);
    solve(state, imaginary, imaginary, part);
    x.real() = real;
    x.imag() = imaginary;
  } else if constexpr (std::is_same<RhsScalar, Scalar>::value && std::is_same<typename Dest::Scalar, Scalar>::value) {
    solve_same(state, b, x, part);
  } else {
    const typename Eigen::internal::nested_eval<Rhs, 3>::type evaluated(b);
    solve_converted(state, evaluated, x, part);
  }
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
