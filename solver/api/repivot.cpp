/// \file
/// Second attempts of LU and LDLᵀ factorizations that are unstable.

#include <limits>
#include <new>

#include "base/stopwatch.hpp"
#include "gpusupernodal/built_with.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {

/// A graph of the caller would go on with the earlier executor.
template <class T>
bool SolverState<T>::may_repivot() const {
  if (plan && plan->structure().dense) return false;  // Each factorization exchanges rows for its own values.
  const bool may_help = is_ldlt() ? analyzed_options.perturbation == 0.0 : analyzed_options.matching != MatchingRule::none;
  return is_verified() && options.repivot == Repivot::automatic && may_help && !keeps_small_pivots &&
         !(executor && executor->context().is_in_graph());
}

/// Without memory for another plan and its factor, the factorization stays unstable.
template <class T>
void SolverState<T>::repivot() {
  try {
    try_other_pivots();
  } catch (const OutOfMemory&) {
    if (broken_off) throw;
    keeps_small_pivots = true;
  } catch (const std::bad_alloc&) {
    if (broken_off) throw;
    keeps_small_pivots = true;
  }
}

template <class T>
void SolverState<T>::try_other_pivots() {
  const Stopwatch watch;
  std::vector<T> values(static_cast<std::size_t>(plan->assembly.entries_of_a));
  executor->copy_values(values);
  const double seconds = factor_report.seconds;
  if constexpr (built_with(Form::lu)) {
    if (is_lu() && exchange_rows(values) && factor_report.status != Status::unstable) {
      factor_report.seconds = seconds + watch.seconds();
      return;
    }
  }
  keep_small_pivots(values);
  factor_report.seconds = seconds + watch.seconds();
}

#if GPUSUPERNODAL_HAVE_LU
template <class T>
bool SolverState<T>::exchange_rows(const std::vector<T>& values) {
  std::shared_ptr<const FactorPlan> other =
      obtain_repivoted_plan(*plan, values.data(), RowExchange::matching, analyzed_options);
  if (!other) return false;
  factorize_again(std::move(other), values, analyzed_options);
  return true;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template bool SolverState<T>::exchange_rows(const std::vector<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#endif

/// Small pivots are right for an ill-conditioned matrix if its rows were exchanged well, and replacing them spoils the
/// factor. A perturbation that the caller asked for stays. For LU by columns, exchange_rows has already searched pivots by
/// threshold pivoting with these values.
template <class T>
void SolverState<T>::keep_small_pivots(const std::vector<T>& values) {
  Options with = analyzed_options;
  if (with.perturbation == 0.0) with.perturbation = static_cast<double>(std::numeric_limits<Real>::epsilon());
  with.backend = analyze_report.backend;
  std::shared_ptr<const FactorPlan> other;
  if constexpr (built_with(Form::lu)) {
    if (is_lu() && !plan->structure().columns)
      other = obtain_repivoted_plan(*plan, values.data(), RowExchange::threshold, with);
  }
  factorize_again(other ? std::move(other) : plan, values, with);
  keeps_small_pivots = true;
}

/// The backend stays, and the counts go on.
template <class T>
void SolverState<T>::factorize_again(std::shared_ptr<const FactorPlan> other, const std::vector<T>& values, Options with) {
  const AnalyzeReport before = analyze_report;
  const FactorReport last = factor_report;
  const SolveReport last_solve = solve_report;
  const Backend wanted = analyzed_options.backend;
  with.backend = before.backend;
  adopt({std::move(other), PlanSource::analyzed}, with);
  analyzed_options.backend = wanted;
  analyze_report.backend_reason = before.backend_reason;
  analyze_report.seconds_total = before.seconds_total;
  solve_report = last_solve;
  broken_off = true;
  executor->factorization().factorize(
      {values.data(), MemorySpace::host, static_cast<Real>(factor_scale), static_cast<Real>(factor_offset), nullptr});
  broken_off = false;
  factorized = true;
  factor_report = FactorReport();
  factor_report.form = last.form;
  factor_report.shift = last.shift;
  factor_report.factorizations = last.factorizations;
  factor_report.repivoted = last.repivoted + 1;
  read_outcome_of_factor();
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                      \
  template bool SolverState<T>::may_repivot() const;                      \
  template void SolverState<T>::repivot();                                \
  template void SolverState<T>::try_other_pivots();                       \
  template void SolverState<T>::keep_small_pivots(const std::vector<T>&); \
  template void SolverState<T>::factorize_again(std::shared_ptr<const FactorPlan>, const std::vector<T>&, Options);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
