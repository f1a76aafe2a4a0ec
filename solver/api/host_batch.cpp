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

namespace {

Options with_threads_of_system(Options options, int threads) {
  options.threads = threads;
  return options;
}

}  // namespace

template <class T>
HostBatch<T>::HostBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count,
                        std::shared_ptr<BatchWorkers> workers, int threads)
    : own_options_(with_threads_of_system(of_one_system(options), threads)),
      workers_(std::move(workers)),
      store_(make_host_store<T>(plan.plan->host_plan(), executor_options<T>(own_options_, Backend::host), count)),
      own_(plan.plan, own_options_, static_cast<std::size_t>(count)),
      doubtful_(static_cast<std::size_t>(count)) {
  const std::int64_t most = threads > 1 ? 1 : workers_->count();
  states_.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 1, most)));
  for (SolverState<T>& state : states_) {
    state.options = own_options_;
    state.refinement = own_options_.refinement;
    state.take({store_->make_executor(), Backend::host, "requested", plan.plan, {}, {}}, plan.source, own_options_);
  }
  may_repivot_ = states_.front().may_repivot();
  for (SolverState<T>& state : states_) {  // States keep their plan.
    state.options.repivot = Repivot::report;
    state.leaves_other_pivots = may_repivot_;
  }
  outcomes_.statuses.resize(doubtful_.size(), BatchStatus::not_factorized);
  outcomes_.solve_statuses.resize(doubtful_.size(), BatchStatus::not_factorized);
  outcomes_.reports.resize(doubtful_.size());
  outcomes_.solve_reports.resize(doubtful_.size());
  report_ = states_.front().analyze_report;
  if (threads == 1) report_.device = fmt::format("{} workers of {}", workers_->count(), report_.device);
}

/// Calls work(worker, system) for every system.
template <class T>
void HostBatch<T>::for_each(const std::function<void(int worker, std::int64_t system)>& work) {
  // Systems that a worker takes at a time: enough that taking them costs little, few enough for workers to end together.
  constexpr std::int64_t portions = 16;
  constexpr std::int64_t most = 64;
  const std::int64_t at_once = std::clamp<std::int64_t>(count() / (portions * workers_->count()), 1, most);
  if (threads() == 1) return workers_->for_each(count(), at_once, work);
  for (std::int64_t i = 0; i < count(); ++i) work(0, i);
}

/// The state that works on a system: no other worker uses it meanwhile.
template <class T>
SolverState<T>& HostBatch<T>::state_for(int worker, std::size_t i) {
  if (threads() > 1) return states_.front();
  return states_[states_.size() == doubtful_.size() ? i : static_cast<std::size_t>(worker)];
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
void HostBatch<T>::forget_factors(const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0) continue;
    outcomes_.statuses[i] = BatchStatus::not_factorized;
    outcomes_.solve_statuses[i] = BatchStatus::not_factorized;
  }
}

template <class T>
void HostBatch<T>::forget_solve(const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != 0) outcomes_.solve_statuses[i] = BatchStatus::not_factorized;
  }
}

template <class T>
void HostBatch<T>::refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) {
  forget_factors(wanted);
  const auto work = [&](int worker, std::int64_t system) {
    const auto i = static_cast<std::size_t>(system);
    if (wanted[i] != 0) factorize_system(worker, i, values.of(system));
  };
  for_each(std::ref(work));  // By reference: a std::function of the lambda would allocate.
}

template <class T>
void HostBatch<T>::factorize_system(int worker, std::size_t i, const T* values) {
  if (SolverState<T>* const own = own_.of(i)) {
    own->factorize(values, MemorySpace::host);
    own->read_outcome();
    return note(i, own->factor_report);
  }
  SolverState<T>& state = state_for(worker, i);
  store_->attach(*state.executor, static_cast<std::int64_t>(i));
  state.factor_report.factorizations = outcomes_.reports[i].factorizations;
  state.factor_report.repivoted = 0;
  state.factorize(values, MemorySpace::host);
  state.read_outcome();
  doubtful_[i] = state.doubtful ? 1 : 0;
  note(i, state.factor_report);
  if (state.factor_report.status == Status::unstable && may_repivot_) move_out(i, values);
}

/// The state for system i, as it was when it had factorized the system.
template <class T>
SolverState<T>& HostBatch<T>::attached(int worker, std::size_t i) {
  SolverState<T>& state = state_for(worker, i);
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
void HostBatch<T>::begin_solve(std::int64_t columns, const std::vector<unsigned char>& wanted) {
  reserve_right_hand_sides(std::min(columns, max_columns_at_once));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    outcomes_.solve_statuses[i] = wanted[i] != 0 ? BatchStatus::not_factorized : BatchStatus::skipped;
}

template <class T>
void HostBatch<T>::start_solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                               const std::vector<unsigned char>& wanted) {
  require_part(part);
  begin_solve(b.cols, wanted);
  const auto work = [&](int worker, std::int64_t system) {
    const auto i = static_cast<std::size_t>(system);
    if (wanted[i] != 0) solve_system(worker, i, {part, b.of(system), x.of(system)});
  };
  for_each(std::ref(work));
}

template <class T>
void HostBatch<T>::solve_system(int worker, std::size_t i, const SystemSolve& call) {
  outcomes_.solve_reports[i] = SolveReport();
  BatchStatus& status = outcomes_.solve_statuses[i];
  if (outcomes_.statuses[i] != BatchStatus::success) {
    status = outcomes_.statuses[i];
  } else if (own_options_.check_right_hand_sides && !is_finite(call.b)) {
    status = BatchStatus::non_finite_input;
  } else {
    status = solution_status(worker, i, call);
    if (status == BatchStatus::unstable) fill_not_a_number(call.x);
  }
}

/// Solves a system that has a factor. Where Solver would exchange rows and solve again, the system moves to its own state
/// first, whose solve does that.
template <class T>
BatchStatus HostBatch<T>::solution_status(int worker, std::size_t i, const SystemSolve& call) {
  const DenseView<const T>& b = call.b;
  const DenseView<T>& x = call.x;
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
  for (SolverState<T>& state : states_) {
    if (columns <= state.reserved_columns) continue;
    state.executor->factorization().reserve_right_hand_sides(columns);
    state.reserved_columns = columns;
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
