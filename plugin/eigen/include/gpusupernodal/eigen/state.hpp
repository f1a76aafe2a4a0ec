#pragma once

/// \file
/// What Eigen::GpuSupernodalLLT holds and does that does not depend on the matrix type: a solver, its outcome, solves.

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

/// What Eigen::GpuSupernodalLLT tells about its last calls.
struct EigenReport {
  AnalyzeReport analyze;  ///< Of the last compute or analyzePattern.
  FactorReport factor;    ///< Of the last compute or factorize.
  SolveReport solve;      ///< Of the last solve.
  /// The diagonal was multiplied by 1 + this, because the factorization in float of a double matrix broke down; 0: not.
  double relative_shift = 0.0;
  int shifted_attempts = 0;  ///< Factorizations that this took.
  std::string failure;       ///< Why info() is InvalidInput: memory or device; empty otherwise.
};

namespace eigen_detail {

/// Solver, outcome and workspaces, all of which move.
template <class Scalar>
struct State {
  State() { options.check_right_hand_sides = false; }  // As with SimplicialLLT, NaN in b is NaN in x.

  Options options;
  Solver<Scalar> solver;
  FactorReport factor_report;
  std::string failure;
  std::vector<Scalar> values;                                  ///< Of a matrix whose values cannot be read in place.
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> work;  ///< Of solves that cannot run in place.
  std::vector<double> column_scales;
  double relative_shift = 0.0;
  int shifted_attempts = 0;
  double shift_offset = 0.0;
  double shift_scale = 1.0;
};

/// Runs `phase`. What the machine could not give becomes InvalidInput and a sentence; misuse keeps throwing.
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

/// Hands the solver those options that act from the next factorize on; the others wait for the next analysis.
template <class Scalar>
void use_options_of_factorize(State<Scalar>& state) {
  const Options& now = state.solver.options();
  const Options& wanted = state.options;
  // Callbacks cannot be compared; without one on either side nothing is copied.
  if (now.refinement.max_steps == wanted.refinement.max_steps &&
      now.refinement.backward_error == wanted.refinement.backward_error && !now.factor_progress && !wanted.factor_progress)
    return;
  Options options = now;
  options.refinement = wanted.refinement;
  options.factor_progress = wanted.factor_progress;
  state.solver.set_options(std::move(options));
}

/// Hands the solver the option that acts from the next solve on.
template <class Scalar>
void use_options_of_solve(State<Scalar>& state) {
  if (state.solver.options().check_right_hand_sides == state.options.check_right_hand_sides) return;
  Options options = state.solver.options();
  options.check_right_hand_sides = state.options.check_right_hand_sides;
  state.solver.set_options(std::move(options));
}

/// Factorizes the `UpLo` half of `a` with its diagonal times `diagonal_scale`, plus the shift of the solver.
template <int UpLo, class Scalar, class Compressed>
bool try_factorize(State<Scalar>& state, const Compressed& a, double diagonal_scale) {
  state.solver.factorize(matrix_view<UpLo>(a, values_of(a, diagonal_scale, state.values)));
  state.factor_report = state.solver.factor_report();
  return state.factor_report.status == Status::success;
}

/// Factorizes `a`. Rounding a double matrix to float can cost its definiteness; then the diagonal grows by as little as
/// helps, at most by what rounding explains: n·eps of the diagonal [Higham02, Theorem 10.7]. A diagonal that is not
/// positive is no matter of rounding.
template <int UpLo, class Scalar, class Compressed>
Eigen::ComputationInfo factorize(State<Scalar>& state, const Compressed& a) {
  state.relative_shift = 0.0;
  state.shifted_attempts = 0;
  state.solver.set_shift(state.shift_offset);
  if (try_factorize<UpLo>(state, a, state.shift_scale)) return Eigen::Success;
  if constexpr (sizeof(Scalar) < sizeof(typename Compressed::Scalar)) {
    const auto eps = static_cast<double>((std::numeric_limits<Scalar>::epsilon)());
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

/// x = A⁻¹ b for b in another precision: each column is scaled into the range of the factor's.
template <class Scalar, class Rhs, class Dest>
void solve_converted(State<Scalar>& state, const Rhs& b, Dest& x) {
  using RhsScalar = typename Rhs::Scalar;
  state.column_scales.resize(static_cast<std::size_t>(b.cols()));
  resize_or_keep(state.work, b.rows(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    const double scale = scale_towards_one(b.col(j));
    state.column_scales[static_cast<std::size_t>(j)] = scale;
    state.work.col(j) = (b.col(j) * static_cast<RhsScalar>(scale)).template cast<Scalar>();
  }
  state.solver.solve(const_dense_view<Scalar>(state.work), dense_view<Scalar>(state.work));
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    const auto inverse = static_cast<typename Dest::Scalar>(1.0 / state.column_scales[static_cast<std::size_t>(j)]);
    x.col(j) = state.work.col(j).template cast<typename Dest::Scalar>() * inverse;
  }
}

/// x = A⁻¹ b in the factor's own precision: from array to array where both are arrays, else by a workspace.
template <class Scalar, class Rhs, class Dest>
void solve_same(State<Scalar>& state, const Rhs& b, Dest& x) {
  if constexpr (IsColumnArray<Dest, Scalar>::value) {
    if (x.innerStride() == 1) {
      const DenseView<Scalar> to = dense_view<Scalar>(x);
      if constexpr (IsColumnArray<Rhs, Scalar>::value) {
        const DenseView<const Scalar> from = const_dense_view<Scalar>(b);
        if (b.innerStride() == 1 && may_share<Scalar>(from, to)) {
          state.solver.solve(from, to);
          return;
        }
      }
      resize_or_keep(state.work, b.rows(), b.cols());
      state.work = b;
      state.solver.solve(const_dense_view<Scalar>(state.work), to);
      return;
    }
  }
  resize_or_keep(state.work, b.rows(), b.cols());
  state.work = b;
  state.solver.solve(const_dense_view<Scalar>(state.work), dense_view<Scalar>(state.work));
  x = state.work;
}

/// x = A⁻¹ b for any dense expressions, which may share memory; b may be complex, as A is real.
template <class Scalar, class Rhs, class Dest>
void solve(State<Scalar>& state, const Rhs& b, Dest& x) {
  using RhsScalar = typename Rhs::Scalar;
  if constexpr (Eigen::NumTraits<RhsScalar>::IsComplex) {
    using Real = typename Eigen::NumTraits<RhsScalar>::Real;
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> real = b.real();
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> imaginary = b.imag();
    solve(state, real, real);
    solve(state, imaginary, imaginary);
    x.real() = real;
    x.imag() = imaginary;
  } else if constexpr (std::is_same<RhsScalar, Scalar>::value && std::is_same<typename Dest::Scalar, Scalar>::value) {
    solve_same(state, b, x);
  } else {
    const typename Eigen::internal::nested_eval<Rhs, 3>::type evaluated(b);
    solve_converted(state, evaluated, x);
  }
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
