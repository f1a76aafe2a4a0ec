/// \file
/// What a factorization's outcome says in the caller's terms.

#include <algorithm>
#include <limits>
#include <tuple>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/lu_verification.hpp"
#include "solver/api/place_of_entry.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {

template <class T>
void SolverState<T>::read_outcome() {
  if (outcome_read) return;
  read_outcome_of_factor();
  if (factor_report.status != Status::unstable || !may_repivot()) return;
  repivot();
  const bool iterates = factor_report.status == Status::unstable && krylov_limits(false).iterations > 0;
  if (iterates) read_outcome_of_factor();  // There are no other pivots now, so FGMRES is next.
}

template <class T>
void SolverState<T>::read_outcome_of_factor() {
  refuse_wait_in_capture("status");
  take_outcome(executor->factorization().outcome());
  if (const Trace* const trace = executor->context().trace()) {
    factor_report.regimes = describe_regimes(*plan, analyze_report.backend, *trace);
  }
}

template <class T>
void SolverState<T>::take_outcome(const FactorOutcome& outcome) {
  factor_report.status = outcome.status;
  factor_report.failed_value = outcome.failed_value;
  factor_report.smallest_pivot = outcome.smallest_pivot;
  factor_report.largest_pivot = outcome.largest_pivot;
  if (is_verified()) read_verified_outcome(outcome);
  if (outcome.status == Status::not_positive_definite) {
    factor_report.failed_column = plan->symbolic.permutation.old_of_new[outcome.failed_column].value;
  } else if (outcome.status == Status::non_finite_input) {
    std::tie(factor_report.failed_row, factor_report.failed_column) = place_of_entry(*plan, outcome.failed_entry);
  }
  outcome_read = outcome.settled;
}

/// The pivots of LU and LDLᵀ are replaced where they are too small, so only a residual can tell whether the factor is good.
/// The last pivot of a singular matrix can be a rounding error. On dense storage, and after other pivots were tried, it is
/// seldom small enough to be replaced.
template <class T>
void SolverState<T>::read_verified_outcome(const FactorOutcome& outcome) {
  factor_report.perturbed_pivots = outcome.perturbed_pivots;
  factor_report.growth = outcome.growth;
  const double zero = trusted_backward_error<T>(plan->symbolic.order()) * outcome.largest_in_a;
  const bool may_be_singular = is_lu() && plan->symbolic.order() > 0 && outcome.smallest_pivot <= zero;
  doubtful = outcome.status == Status::success && (is_doubtful(outcome) || may_be_singular);
  if (doubtful && executor && plan->symbolic.order() > 0) {
    const std::int64_t n = plan->symbolic.order();
    Probe probe = probe_factorization(*executor, n, {});
    factor_report.status = status_of<T>(probe, outcome, n);
    KrylovLimits krylov = krylov_limits(false);
    if (factor_report.status == Status::unstable && krylov.iterations > 0) {
      constexpr double farther = 0.01;  // What tells a singular matrix must not be the end of the iterations.
      krylov.backward_error *= farther;
      probe = probe_factorization(*executor, n, krylov);
      factor_report.status = status_of<T>(probe, outcome, n);
    }
    factor_report.probe_iterations = probe.fgmres_iterations;
    factor_report.probe_error = probe.backward_error;
  }
  if (is_ldlt() && outcome.status == Status::success) read_inertia(outcome);
  if (factor_report.status != Status::singular && factor_report.status != Status::unstable) return;
  const NewIndex column = outcome.failed_column.valid() ? outcome.failed_column : outcome.smallest_pivot_column;
  factor_report.failed_column = plan->symbolic.permutation.old_of_new[column].value;
  factor_report.failed_value = outcome.failed_column.valid() ? outcome.failed_value : outcome.smallest_pivot;
}

/// The signs of pivots are those of A's eigenvalues up to the errors of the factorization, which are as large as those of a
/// solve: a pivot above their bound keeps its sign.
template <class T>
void SolverState<T>::read_inertia(const FactorOutcome& outcome) {
  constexpr double c = 10.0;
  const auto n = static_cast<double>(plan->symbolic.order());
  const double rounding = c * n * static_cast<double>(std::numeric_limits<Real>::epsilon()) * outcome.largest_in_a;
  factor_report.inertia = outcome.inertia;
  factor_report.inertia_exact = !is_symmetric() && factor_report.status == Status::success &&
                                outcome.perturbed_pivots == 0 &&
                                (n == 0 || outcome.smallest_pivot > rounding * std::max(outcome.growth, 1.0));
  if (factor_report.status != Status::singular) return;
  const double zero = trusted_backward_error<T>(plan->symbolic.order()) * outcome.largest_in_a;
  for (const SmallPivot& pivot : executor->factorization().small_pivots(zero)) {
    if (!is_symmetric()) --(pivot.negative ? factor_report.inertia.negative : factor_report.inertia.positive);
    ++factor_report.inertia.zero;
    factor_report.null_pivots.push_back(plan->symbolic.permutation.old_of_new[pivot.column].value);
  }
  std::sort(factor_report.null_pivots.begin(), factor_report.null_pivots.end());
}

/// Other pivots come first, where they may be tried: they make all later solves cheaper. If many pivots were replaced, or
/// the growth exceeds 1 / eps, the factors say little about A, and the iterations would have to span most of the space.
template <class T>
KrylovLimits SolverState<T>::krylov_limits(bool in_place) const {
  constexpr int most_iterations = 60;
  constexpr std::int64_t most_replaced = 3;  // One pivot in so many.
  const std::int64_t n = plan->symbolic.order();
  const bool others_first = (may_repivot() || leaves_other_pivots) && !in_place;
  const bool many_replaced = factor_report.perturbed_pivots > n / most_replaced;
  const bool lost = !(factor_report.growth * static_cast<double>(std::numeric_limits<Real>::epsilon()) <= 1.0);
  return {trusted_backward_error<T>(n), others_first || many_replaced || lost ? 0 : most_iterations};
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                 \
  template void SolverState<T>::read_outcome();                                      \
  template void SolverState<T>::read_outcome_of_factor();                            \
  template void SolverState<T>::take_outcome(const FactorOutcome& outcome);          \
  template void SolverState<T>::read_verified_outcome(const FactorOutcome& outcome); \
  template void SolverState<T>::read_inertia(const FactorOutcome& outcome);          \
  template KrylovLimits SolverState<T>::krylov_limits(bool in_place) const;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
