#include "solver/api/device_batch.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/lu_verification.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/cuda/plan/batch_program.hpp"

namespace gpusupernodal {
namespace {

FactorOutcome outcome_of(const cuda::BatchFactorRecord& record, std::int32_t n) {
  FactorOutcome outcome;
  outcome.smallest_pivot = record.smallest_pivot;
  outcome.largest_pivot = record.largest_pivot;
  if (record.smallest_column != cuda::no_batch_column) outcome.smallest_pivot_column = NewIndex(record.smallest_column);
  outcome.perturbed_pivots = record.replaced_pivots;
  outcome.largest_in_a = record.largest_in_a;
  if (record.largest_in_a > 0.0) outcome.growth = record.largest_in_factor / record.largest_in_a;
  outcome.inertia = {n - record.negative_pivots, record.negative_pivots, 0};
  return outcome;
}

}  // namespace

template <class T>
DeviceBatch<T>::DeviceBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count)
    : own_options_(of_one_system(options)),
      own_(plan.plan, own_options_, static_cast<std::size_t>(count)),
      factorizations_(static_cast<std::size_t>(count)),
      has_values_(factorizations_.size()),
      unread_factor_(factorizations_.size()),
      unread_solve_(factorizations_.size()),
      mask_(factorizations_.size()) {
  rules_.options = own_options_;
  rules_.analyzed_options = own_options_;
  rules_.plan = plan.plan;
  may_repivot_ = rules_.may_repivot();
  const BatchProgram program = make_batch_program(plan.plan->structure(), options.form);
  BatchFactorsOptions wanted;
  wanted.count = count;
  wanted.device = options.device;
  wanted.check_finite = options.check_finite;
  wanted.refined = keeps_a(options);
  wanted.perturbation = options.perturbation;
  wanted.allocator = options.device_allocator;
  factors_ = make_cuda_batch<T>(program, wanted);
  outcomes_.statuses.resize(factorizations_.size(), BatchStatus::not_factorized);
  outcomes_.solve_statuses.resize(factorizations_.size(), BatchStatus::not_factorized);
  outcomes_.reports.resize(factorizations_.size());
  outcomes_.solve_reports.resize(factorizations_.size());
  describe(program, plan.source);
}

template <class T>
void DeviceBatch<T>::describe(const BatchProgram& program, PlanSource source) {
  report_ = describe_analysis(*rules_.plan, source, Backend::host, scalar_type_of<T>, own_options_);
  report_.backend = Backend::cuda;
  report_.device = factors_->device_name();
  report_.stored_l = program.values();
  report_.stored_flops = report_.flops;
  report_.memory = factors_->memory();
}

template <class T>
void DeviceBatch<T>::set_stream(void* stream) {
  stream_ = stream;
  factors_->set_stream(stream);
}

template <class T>
void DeviceBatch<T>::refuse_in_capture(const char* call, const char* reason) const {
  if (!is_captured(stream_)) return;
  fail<InvalidState>(
      "{} was called while a graph is captured on the batch's stream, but it {}; call it before the capture or after it",
      call, reason);
}

template <class T>
void DeviceBatch<T>::note(std::size_t i, const FactorReport& report) {
  outcomes_.reports[i] = report;
  outcomes_.statuses[i] = batch_status(report.status);
}

template <class T>
void DeviceBatch<T>::factorize_on_host(std::size_t i, const T* values, MemorySpace space) {
  const HostCopy<T> copy(values, space, rules_.plan->assembly.entries_of_a, stream_);
  SolverState<T>& own = *own_.of(i);
  own.factor_report.factorizations = factorizations_[i] - 1;
  own.factorize(copy.data(), MemorySpace::host);
  own.read_outcome();
  note(i, own.factor_report);
}

/// Systems whose next values go to the device: those without a state on the host, and those that were only verified there.
template <class T>
void DeviceBatch<T>::choose_for_device(const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < count(); ++i) {
    const bool exchanged = own_.of(i) != nullptr && own_.of(i)->factor_report.repivoted > 0;
    if (wanted[i] != 0 && exchanged)
      refuse_in_capture("refactorize", "computes systems on the host whose rows were exchanged");
    mask_[i] = wanted[i] != 0 && !exchanged ? 1 : 0;
  }
}

template <class T>
void DeviceBatch<T>::refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) {
  choose_for_device(wanted);
  try {
    factors_->factorize(values, mask_);
  } catch (const InvalidState&) {  // Nothing was changed.
    throw;
  } catch (...) {
    begin_factors(wanted);
    throw;
  }
  begin_factors(wanted);
  for (std::size_t i = 0; i < count(); ++i) {
    if (mask_[i] != 0) has_values_[i] = unread_factor_[i] = 1;
  }
  for (std::size_t i = 0; i < count(); ++i) {
    if (wanted[i] != 0 && mask_[i] == 0) factorize_on_host(i, values.of(static_cast<std::int64_t>(i)), values.space);
  }
}

/// Forgets the factors of the wanted systems.
template <class T>
void DeviceBatch<T>::begin_factors(const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < count(); ++i) {
    if (wanted[i] == 0) continue;
    if (mask_[i] != 0) own_.drop(i);
    has_values_[i] = 0;
    unread_factor_[i] = 0;
    unread_solve_[i] = 0;
    ++factorizations_[i];
    outcomes_.statuses[i] = BatchStatus::not_factorized;
    outcomes_.solve_statuses[i] = BatchStatus::not_factorized;
  }
}

/// Gives a system whose factor on the device cannot be trusted a state on the host. False without memory for it.
template <class T>
bool DeviceBatch<T>::move_out(std::size_t i) {
  std::vector<T> values(static_cast<std::size_t>(rules_.plan->assembly.entries_of_a));
  factors_->copy_values(static_cast<std::int64_t>(i), values);
  return own_.move_out(i, values.data(), factorizations_[i]);
}

template <class T>
void DeviceBatch<T>::take_record(std::size_t i, const cuda::BatchFactorRecord& record) {
  FactorOutcome outcome = outcome_of(record, rules_.plan->symbolic.order());
  if (record.bad_entry != cuda::no_batch_entry) {
    outcome.status = Status::non_finite_input;
    outcome.failed_entry = record.bad_entry;
    outcome.failed_value = record.bad_value;
  } else if (record.failed_column != cuda::no_batch_column) {
    outcome.status = rules_.is_verified() ? Status::unstable : Status::not_positive_definite;
    outcome.failed_column = NewIndex(record.failed_column);
    outcome.failed_value = record.failed_pivot;
  }
  rules_.factor_report = FactorReport();
  rules_.factor_report.form = rules_.is_lu() ? Form::lu : own_options_.form;
  rules_.factor_report.factorizations = factorizations_[i];
  rules_.take_outcome(outcome);
  const bool is_open = rules_.is_verified() && (rules_.doubtful || outcome.status == Status::unstable);
  if (!is_open || !move_out(i)) {
    if (is_open) rules_.factor_report.status = Status::unstable;
    return note(i, rules_.factor_report);
  }
  note(i, own_.of(i)->factor_report);
  if (factors_->is_in_graph()) own_.drop(i);
}

template <class T>
void DeviceBatch<T>::read_factors() {
  const bool any = std::find(unread_factor_.begin(), unread_factor_.end(), 1) != unread_factor_.end();
  if (!any) return;
  refuse_in_capture("statuses", "waits for the device");
  const Span<const cuda::BatchFactorRecord> records = factors_->factor_records();
  for (std::size_t i = 0; i < count(); ++i) {
    if (unread_factor_[i] == 0) continue;
    take_record(i, records[i]);
    unread_factor_[i] = factors_->is_in_graph() ? 1 : 0;  // A graph may run again.
  }
}

template <class T>
BatchSolveRules DeviceBatch<T>::rules_for(System part) const {
  const bool whole = is_whole(part);
  BatchSolveRules rules;
  rules.steps = steps_of(part);
  rules.check_right = own_options_.check_right_hand_sides;
  rules.verified = whole && rules_.is_verified();
  rules.refined = whole && keeps_a(own_options_);
  rules.trusted = trusted_backward_error<T>(rules_.plan->symbolic.order());
  rules.refinement = rules.verified ? verifying(own_options_.refinement, rules.trusted) : own_options_.refinement;
  return rules;
}

template <class T>
void DeviceBatch<T>::solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                           const std::vector<unsigned char>& wanted) {
  rules_.require_part(part);
  const bool captured = is_captured(stream_);
  const BatchSolveRules rules = rules_for(part);
  if (rules.verified && !captured) read_factors();  // Some systems may have left the device.
  for (std::size_t i = 0; captured && i < count(); ++i) {
    if (wanted[i] != 0 && own_.of(i) != nullptr) refuse_in_capture("solve", "computes systems on the host");
  }
  for (std::size_t i = 0; i < count(); ++i)
    mask_[i] = wanted[i] != 0 && has_values_[i] != 0 && own_.of(i) == nullptr ? 1 : 0;
  factors_->solve(rules, b, x, mask_);
  verified_ = rules.verified;
  refined_ = rules.refined;
  for (std::size_t i = 0; i < count(); ++i) {
    unread_solve_[i] = mask_[i];
    outcomes_.solve_statuses[i] = wanted[i] != 0 ? BatchStatus::not_factorized : BatchStatus::skipped;
    if (wanted[i] != 0) outcomes_.solve_reports[i] = SolveReport();
  }
  if (b.rows == 0 || b.cols == 0) return skip_solve();
  const SolveCall call{part, b, x};
  for (std::size_t i = 0; i < count(); ++i) {
    if (wanted[i] != 0 && own_.of(i) != nullptr) solve_on_host(i, call);
  }
  if (rules.verified && !captured && may_repivot_) repeat_unstable(call);
}

/// Ends a solve without entries: its outcomes are those of the factorizations.
template <class T>
void DeviceBatch<T>::skip_solve() {
  read_factors();
  for (std::size_t i = 0; i < count(); ++i) {
    unread_solve_[i] = 0;
    if (outcomes_.solve_statuses[i] != BatchStatus::skipped) outcomes_.solve_statuses[i] = outcomes_.statuses[i];
  }
}

/// Solves a system that has a state on the host, as HostBatch does.
template <class T>
void DeviceBatch<T>::solve_on_host(std::size_t i, const SolveCall& call) {
  SolverState<T>& own = *own_.of(i);
  BatchStatus& status = outcomes_.solve_statuses[i];
  status = outcomes_.statuses[i];
  if (status != BatchStatus::success) return;
  const DenseView<const T> b = call.b.of(static_cast<std::int64_t>(i));
  const DenseView<T> x = call.x.of(static_cast<std::int64_t>(i));
  if (b.rows == 0 || b.cols == 0) return;
  const HostCopy<T> copy(b.data, b.space, extent(b), stream_);
  const DenseView<const T> right(copy.data(), b.rows, b.cols, b.ld);
  status = BatchStatus::non_finite_input;
  const bool finite = own.is_finite_anywhere(right);
  if (own_options_.check_right_hand_sides && !finite) return;
  HostResult<T> result(x);
  try {
    own.solve(steps_of(call.part), right, result.view(), is_whole(call.part));
    outcomes_.solve_reports[i] = own.solve_report;
    const bool trusted = own.solve_report.backward_error <= trusted_backward_error<T>(b.rows);
    status = trusted ? BatchStatus::success : BatchStatus::non_finite_input;
  } catch (const NumericalFailure&) {
    status = BatchStatus::unstable;
    for (std::int64_t c = 0; c < x.cols; ++c)
      std::fill_n(result.view().data + c * result.view().ld, x.rows, ScalarTraits<T>::not_a_number());
  }
  note(i, own.factor_report);  // It may have exchanged rows.
  result.write_back(stream_);
}

/// Systems whose solution is not accurate get another factor on the host, unless b was overwritten.
template <class T>
void DeviceBatch<T>::repeat_unstable(const SolveCall& call) {
  read_solves();
  for (std::size_t i = 0; i < count(); ++i) {
    if (outcomes_.solve_statuses[i] != BatchStatus::unstable || own_.of(i) != nullptr || factors_->is_in_graph()) continue;
    if (outcomes_.statuses[i] != BatchStatus::success) continue;
    const auto system = static_cast<std::int64_t>(i);
    if (share_memory(call.b.of(system), call.x.of(system)) || !move_out(i)) continue;
    note(i, own_.of(i)->factor_report);
    solve_on_host(i, call);
  }
}

template <class T>
BatchStatus DeviceBatch<T>::status_of_record(std::size_t i, const cuda::BatchSolveRecord& record) {
  if (outcomes_.statuses[i] != BatchStatus::success) return outcomes_.statuses[i];
  if (record.has_bad_right != 0 && (own_options_.check_right_hand_sides || verified_)) return BatchStatus::non_finite_input;
  if (!refined_) return BatchStatus::success;
  SolveReport& report = outcomes_.solve_reports[i];
  report.backward_error = std::bit_cast<double>(record.error_bits);
  report.refinement_steps = record.steps;
  const bool trusted = report.backward_error <= trusted_backward_error<T>(rules_.plan->symbolic.order());
  return verified_ && !trusted ? BatchStatus::unstable : BatchStatus::success;
}

template <class T>
void DeviceBatch<T>::read_solves() {
  read_factors();
  const bool any = std::find(unread_solve_.begin(), unread_solve_.end(), 1) != unread_solve_.end();
  if (!any) return;
  refuse_in_capture("solve_statuses", "waits for the device");
  const Span<const cuda::BatchSolveRecord> records = factors_->solve_records();
  for (std::size_t i = 0; i < count(); ++i) {
    if (unread_solve_[i] == 0) continue;
    outcomes_.solve_statuses[i] = status_of_record(i, records[i]);
    unread_solve_[i] = factors_->is_in_graph() ? 1 : 0;
  }
}

template <class T>
BatchOutcomes& DeviceBatch<T>::outcomes() {
  read_solves();
  return outcomes_;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class DeviceBatch<T>;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
