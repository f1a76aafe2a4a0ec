#include "solver/api/device_batch.hpp"

#include <algorithm>
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
      taken_(factorizations_.size(), -1),
      has_factor_(factorizations_.size()),
      unread_solve_(factorizations_.size()),
      mask_(factorizations_.size()) {
  rules_.options = own_options_;
  rules_.analyzed_options = own_options_;
  rules_.plan = plan.plan;
  may_repivot_ = rules_.may_repivot();
  const BatchProgram program = make_batch_program(plan.plan->structure(), options.form);
  BatchFactorsOptions wanted;
  wanted.count = count;
  wanted.device = first_device(options);
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
  factors_->set_stream(stream);
  stream_ = stream;
}

template <class T>
void DeviceBatch<T>::refuse_wait_in_capture(const char* call) const {
  if (!is_captured(stream_)) return;
  fail<InvalidState>(
      "{} was called while a graph is captured on the batch's stream, but it waits for the device; call it before the "
      "capture or after it",
      call);
}

/// The host's state of the system has tried other pivots than those of the analysis, so its next values stay there.
template <class T>
bool DeviceBatch<T>::has_other_pivots(std::size_t i) const {
  return own_.of(i) != nullptr && own_.of(i)->factor_report.repivoted > 0;
}

template <class T>
void DeviceBatch<T>::refuse_host_system(const char* call, std::size_t i) const {
  if (has_other_pivots(i))
    fail<InvalidState>(
        "{} was called while a graph is captured on the batch's stream, but system {} is computed on the host, because it "
        "needs other pivots than the analysis chose; leave it out with set_wanted, or call analyze with its values",
        call, i);
  fail<InvalidState>(
      "{} was called while a graph is captured on the batch's stream, but system {} has its factor on the host, because "
      "pivots were replaced or grew; capture refactorize first, or leave the system out with set_wanted",
      call, i);
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
  const bool captured = is_captured(stream_);
  for (std::size_t i = 0; i < count(); ++i) {
    const bool stays = has_other_pivots(i);
    if (wanted[i] != 0 && stays && captured) refuse_host_system("refactorize", i);
    mask_[i] = wanted[i] != 0 && !stays ? 1 : 0;
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

template <class T>
void DeviceBatch<T>::forget_factors(const std::vector<unsigned char>& wanted) {
  choose_for_device(wanted);
  begin_factors(wanted);
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
    taken_[i] = -1;
    ++factorizations_[i];
    outcomes_.statuses[i] = BatchStatus::not_factorized;
    outcomes_.solve_statuses[i] = BatchStatus::not_factorized;
  }
}

/// Gives a system whose factor on the device cannot be trusted a state on the host. False without memory for it.
template <class T>
bool DeviceBatch<T>::move_out(std::size_t i, Repivot repivot) {
  std::vector<T> values(static_cast<std::size_t>(rules_.plan->assembly.entries_of_a));
  factors_->copy_values(static_cast<std::int64_t>(i), values);
  return own_.move_out(i, values.data(), factorizations_[i], repivot);
}

/// Takes the host's status of a system whose factor on the device cannot be trusted. A graph goes on with the device's
/// factor: the host then tries no other pivots, and what the host alone can factorize is `unstable`.
template <class T>
void DeviceBatch<T>::decide_on_host(std::size_t i, bool has_factor) {
  const bool stays = factors_->is_in_graph();
  if (!move_out(i, stays ? Repivot::report : own_options_.repivot)) {
    rules_.factor_report.status = Status::unstable;
    return note(i, rules_.factor_report);
  }
  FactorReport report = own_.of(i)->factor_report;
  if (stays && !has_factor && report.status == Status::success) report.status = Status::unstable;
  note(i, report);
  if (stays) own_.drop(i);
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
  is_open ? decide_on_host(i, record.has_factor()) : note(i, rules_.factor_report);
}

template <class T>
void DeviceBatch<T>::read_factors() {
  const bool any = std::find(unread_factor_.begin(), unread_factor_.end(), 1) != unread_factor_.end();
  if (!any) return;
  refuse_wait_in_capture("statuses");
  const Span<const cuda::BatchFactorRecord> records = factors_->factor_records();
  for (std::size_t i = 0; i < count(); ++i) {
    if (unread_factor_[i] == 0) continue;
    if (records[i].launches != taken_[i]) take_record(i, records[i]);
    taken_[i] = records[i].launches;
    has_factor_[i] = records[i].has_factor() ? 1 : 0;
    unread_factor_[i] = factors_->is_in_graph() ? 1 : 0;  // A graph may run again.
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
