#include "solver/api/host_batch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/lu_verification.hpp"
#include "solver/api/portions.hpp"

namespace gpusupernodal {

template <class T>
HostBatch<T>::HostBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count)
    : own_options_(of_one_system(options)), own_(plan.plan, own_options_, static_cast<std::size_t>(count)) {
  const auto systems = static_cast<std::size_t>(count);
  const Options& of_worker = own_options_;
  store_ = make_host_store<T>(plan.plan->host_plan(), executor_options<T>(options, Backend::host), count);
  workers_.resize(static_cast<std::size_t>(store_->workers()));
  for (SolverState<T>& worker : workers_) {
    worker.options = of_worker;
    worker.refinement = of_worker.refinement;
    worker.take({store_->make_executor(), Backend::host, "requested", plan.plan, {}, {}}, plan.source, of_worker);
  }
  may_repivot_ = workers_.front().may_repivot();
  for (SolverState<T>& worker : workers_) {  // Workers keep their plan.
    worker.options.repivot = Repivot::report;
    worker.leaves_other_pivots = may_repivot_;
  }
  doubtful_.resize(systems);
  outcomes_.statuses.resize(systems, BatchStatus::not_factorized);
  outcomes_.solve_statuses.resize(systems, BatchStatus::not_factorized);
  outcomes_.reports.resize(systems);
  outcomes_.solve_reports.resize(systems);
  report_ = workers_.front().analyze_report;
  report_.device = fmt::format("{} workers of {}", store_->workers(), report_.device);
}

template <class T>
void HostBatch<T>::note(std::size_t i, const FactorReport& report) {
  outcomes_.reports[i] = report;
  outcomes_.statuses[i] = batch_status(report.status);
}

/// OwnSystems::move_out, with the system's report.
template <class T>
bool HostBatch<T>::move_out(std::size_t i, const T* values) {
  if (!own_.move_out(i, values, outcomes_.reports[i].factorizations, own_options_.repivot)) return false;
  note(i, own_.of(i)->factor_report);
  return true;
}

template <class T>
void HostBatch<T>::refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0) continue;
    outcomes_.statuses[i] = BatchStatus::not_factorized;
    outcomes_.solve_statuses[i] = BatchStatus::not_factorized;
  }
  const auto work = [&](int worker, std::int64_t system) {
    const auto i = static_cast<std::size_t>(system);
    if (wanted[i] != 0) factorize_system(worker, i, values.of(system));
  };
  store_->for_each(std::ref(work));  // By reference: a std::function of the lambda would allocate.
}

template <class T>
void HostBatch<T>::factorize_system(int worker, std::size_t i, const T* values) {
  if (SolverState<T>* const own = own_.of(i)) {
    own->factorize(values, MemorySpace::host);
    own->read_outcome();
    return note(i, own->factor_report);
  }
  SolverState<T>& state = workers_[static_cast<std::size_t>(worker)];
  store_->attach(*state.executor, static_cast<std::int64_t>(i));
  state.factor_report.factorizations = outcomes_.reports[i].factorizations;
  state.factor_report.repivoted = 0;
  state.factorize(values, MemorySpace::host);
  state.read_outcome();
  doubtful_[i] = state.doubtful ? 1 : 0;
  note(i, state.factor_report);
  if (state.factor_report.status == Status::unstable && may_repivot_) move_out(i, values);
}

/// The worker's state, as it was when it had factorized system i.
template <class T>
SolverState<T>& HostBatch<T>::attached(int worker, std::size_t i) {
  SolverState<T>& state = workers_[static_cast<std::size_t>(worker)];
  store_->attach(*state.executor, static_cast<std::int64_t>(i));
  state.factorized = true;
  state.outcome_read = true;
  state.doubtful = doubtful_[i] != 0;
  state.factor_report.status = Status::success;
  state.factor_report.perturbed_pivots = outcomes_.reports[i].perturbed_pivots;
  state.factor_report.growth = outcomes_.reports[i].growth;
  return state;
}

template <class T>
void HostBatch<T>::solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                         const std::vector<unsigned char>& wanted) {
  workers_.front().require_part(part);
  reserve_right_hand_sides(std::min(b.cols, max_columns_at_once));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    outcomes_.solve_statuses[i] = wanted[i] != 0 ? BatchStatus::not_factorized : BatchStatus::skipped;
  const SolveCall call{part, b, x};
  const auto work = [&](int worker, std::int64_t system) {
    const auto i = static_cast<std::size_t>(system);
    if (wanted[i] != 0) solve_system(worker, i, call);
  };
  store_->for_each(std::ref(work));
}

template <class T>
void HostBatch<T>::solve_system(int worker, std::size_t i, const SolveCall& call) {
  outcomes_.solve_reports[i] = SolveReport();
  BatchStatus& status = outcomes_.solve_statuses[i];
  if (outcomes_.statuses[i] != BatchStatus::success) {
    status = outcomes_.statuses[i];
  } else if (own_options_.check_right_hand_sides && !is_finite(call.b.of(static_cast<std::int64_t>(i)))) {
    status = BatchStatus::non_finite_input;
  } else {
    status = solution_status(worker, i, call);
    if (status == BatchStatus::unstable) fill_not_a_number(call.x.of(static_cast<std::int64_t>(i)));
  }
}

/// Solves a system that has a factor. Where Solver would exchange rows and solve again, the system moves to its own state
/// first, whose solve does that.
template <class T>
BatchStatus HostBatch<T>::solution_status(int worker, std::size_t i, const SolveCall& call) {
  const DenseView<const T> b = call.b.of(static_cast<std::int64_t>(i));
  const DenseView<T> x = call.x.of(static_cast<std::int64_t>(i));
  if (b.rows == 0 || b.cols == 0) return BatchStatus::success;
  const bool whole = is_whole(call.part);
  SolverState<T>* const own = own_.of(i);
  SolverState<T>& state = own != nullptr ? *own : attached(worker, i);
  try {
    state.solve(steps_of(call.part), b, x, whole);
  } catch (const NumericalFailure&) {
    if (own != nullptr) {
      note(i, own->factor_report);  // It may have exchanged rows.
      return BatchStatus::unstable;
    }
    if (!may_repivot_ || share_memory(b, x)) return BatchStatus::unstable;
    std::vector<T> values(static_cast<std::size_t>(state.plan->assembly.entries_of_a));
    state.executor->copy_values(values);
    return move_out(i, values.data()) ? solution_status(worker, i, call) : BatchStatus::unstable;
  }
  if (own != nullptr) note(i, own->factor_report);
  outcomes_.solve_reports[i] = state.solve_report;
  if (!whole || !state.is_verified()) return BatchStatus::success;
  const bool trusted = state.solve_report.backward_error <= trusted_backward_error<T>(b.rows);
  return trusted ? BatchStatus::success : BatchStatus::non_finite_input;  // Only a b that is not finite passes unverified.
}

template <class T>
void HostBatch<T>::reserve_right_hand_sides(std::int64_t columns) {
  for (SolverState<T>& worker : workers_) {
    if (columns <= worker.reserved_columns) continue;
    worker.executor->factorization().reserve_right_hand_sides(columns);
    worker.reserved_columns = columns;
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
