/// \file
/// Solves of DeviceBatch.

#include <algorithm>
#include <bit>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/device_batch.hpp"
#include "solver/api/lu_verification.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

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
void DeviceBatch<T>::refuse_solve_in_capture(const std::vector<unsigned char>& wanted) const {
  for (std::size_t i = 0; i < count(); ++i) {
    if (wanted[i] == 0) continue;
    if (own_.of(i) != nullptr) refuse_host_system("solve", i);
    if (has_values_[i] == 0)
      fail<InvalidState>(
          "solve was called while a graph is captured on the batch's stream, but system {} has not been factorized; call "
          "refactorize first, or leave the system out with set_wanted",
          i);
  }
}

template <class T>
void DeviceBatch<T>::start_solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                                 const std::vector<unsigned char>& wanted) {
  rules_.require_part(part);
  const bool captured = is_captured(stream_);
  const bool empty = b.rows == 0 || b.cols == 0;
  const BatchSolveRules rules = rules_for(part);
  open_solve_.reset();
  if (empty) refuse_wait_in_capture("solve without entries");
  if (captured) refuse_solve_in_capture(wanted);
  if (rules.verified && !captured) read_factors();  // Some systems may have left the device.
  for (std::size_t i = 0; i < count(); ++i)
    mask_[i] = wanted[i] != 0 && has_values_[i] != 0 && own_.of(i) == nullptr ? 1 : 0;
  try {
    factors_->solve(rules, b, x, mask_);
  } catch (const InvalidState&) {  // Nothing was changed.
    throw;
  } catch (...) {
    begin_solve(wanted);
    throw;
  }
  begin_solve(wanted);
  verified_ = rules.verified;
  refined_ = rules.refined;
  if (empty) return skip_solve();
  unread_solve_ = mask_;
  open_solve_.emplace(SolveCall{part, b, x, rules});
}

template <class T>
void DeviceBatch<T>::finish_solve() {
  if (!open_solve_) return;
  const SolveCall call = *open_solve_;
  open_solve_.reset();
  try {
    factors_->copy_solutions(call.rules, call.x);
  } catch (...) {
    std::fill(unread_solve_.begin(), unread_solve_.end(), static_cast<unsigned char>(0));  // x was not written.
    throw;
  }
  for (std::size_t i = 0; i < count(); ++i) {
    const bool is_open = outcomes_.solve_statuses[i] != BatchStatus::skipped;
    if (is_open && own_.of(i) != nullptr) outcomes_.solve_statuses[i] = solve_on_host(i, call);
  }
  if (call.rules.verified && !is_captured(stream_) && may_repivot_) repeat_unstable(call);
}

/// Forgets the outcomes of the last solve. Those of wanted systems are `not_factorized` until they are known.
template <class T>
void DeviceBatch<T>::begin_solve(const std::vector<unsigned char>& wanted) {
  for (std::size_t i = 0; i < count(); ++i) {
    unread_solve_[i] = 0;
    outcomes_.solve_statuses[i] = wanted[i] != 0 ? BatchStatus::not_factorized : BatchStatus::skipped;
    if (wanted[i] != 0) outcomes_.solve_reports[i] = SolveReport();
  }
}

template <class T>
void DeviceBatch<T>::forget_solve(const std::vector<unsigned char>& wanted) {
  open_solve_.reset();
  begin_solve(wanted);
}

/// Ends a solve without entries: its outcomes are those of the factorizations.
template <class T>
void DeviceBatch<T>::skip_solve() {
  read_factors();
  for (std::size_t i = 0; i < count(); ++i) {
    if (outcomes_.solve_statuses[i] != BatchStatus::skipped) outcomes_.solve_statuses[i] = outcomes_.statuses[i];
  }
}

/// Solves a system that has a state on the host, as HostBatch does. Precondition: x has entries.
template <class T>
BatchStatus DeviceBatch<T>::solve_on_host(std::size_t i, const SolveCall& call) {
  if (outcomes_.statuses[i] != BatchStatus::success) return outcomes_.statuses[i];
  SolverState<T>& own = *own_.of(i);
  const DenseView<const T> b = call.b.of(static_cast<std::int64_t>(i));
  const DenseView<T> x = call.x.of(static_cast<std::int64_t>(i));
  const HostCopy<T> copy(b.data, b.space, extent(b), stream_);
  const DenseView<const T> right(copy.data(), b.rows, b.cols, b.ld);
  if (own_options_.check_right_hand_sides && !own.is_finite_anywhere(right)) return BatchStatus::non_finite_input;
  HostResult<T> result(x);
  BatchStatus status = BatchStatus::unstable;
  try {
    own.solve(steps_of(call.part), right, result.view(), is_whole(call.part));
    const bool trusted = own.solve_report.backward_error <= trusted_backward_error<T>(b.rows);
    status = trusted ? BatchStatus::success : BatchStatus::non_finite_input;
  } catch (const NumericalFailure&) {
    fill_not_a_number(result.view());
  }
  note(i, own.factor_report);  // It may have tried other pivots.
  result.write_back(stream_);
  if (status != BatchStatus::unstable) outcomes_.solve_reports[i] = own.solve_report;
  return status;
}

/// Systems whose solution is not accurate get another factor on the host, unless b was overwritten.
template <class T>
void DeviceBatch<T>::repeat_unstable(const SolveCall& call) {
  read_solves();
  for (std::size_t i = 0; i < count(); ++i) {
    if (outcomes_.solve_statuses[i] != BatchStatus::unstable || own_.of(i) != nullptr || factors_->is_in_graph()) continue;
    if (outcomes_.statuses[i] != BatchStatus::success) continue;
    const auto system = static_cast<std::int64_t>(i);
    if (share_memory(call.b.of(system), call.x.of(system)) || !move_out(i, own_options_.repivot)) continue;
    note(i, own_.of(i)->factor_report);
    outcomes_.solve_statuses[i] = solve_on_host(i, call);
  }
}

template <class T>
BatchStatus DeviceBatch<T>::status_of_record(std::size_t i, const cuda::BatchSolveRecord& record) {
  if (outcomes_.statuses[i] != BatchStatus::success) return outcomes_.statuses[i];
  if (has_factor_[i] == 0) return BatchStatus::unstable;  // The kernel left x as it was.
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
  refuse_wait_in_capture("solve_statuses");
  const Span<const cuda::BatchSolveRecord> records = factors_->solve_records();
  for (std::size_t i = 0; i < count(); ++i) {
    if (unread_solve_[i] == 0) continue;
    outcomes_.solve_statuses[i] = status_of_record(i, records[i]);
    unread_solve_[i] = factors_->is_in_graph() ? 1 : 0;
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                 \
  template BatchSolveRules DeviceBatch<T>::rules_for(System) const;                                  \
  template void DeviceBatch<T>::refuse_solve_in_capture(const std::vector<unsigned char>&) const;    \
  template void DeviceBatch<T>::start_solve(System, const BatchView<const T>&, const BatchView<T>&,  \
                                            const std::vector<unsigned char>&);                      \
  template void DeviceBatch<T>::finish_solve();                                                      \
  template void DeviceBatch<T>::begin_solve(const std::vector<unsigned char>&);                      \
  template void DeviceBatch<T>::forget_solve(const std::vector<unsigned char>&);                     \
  template void DeviceBatch<T>::skip_solve();                                                        \
  template BatchStatus DeviceBatch<T>::solve_on_host(std::size_t, const SolveCall&);                 \
  template void DeviceBatch<T>::repeat_unstable(const SolveCall&);                                   \
  template BatchStatus DeviceBatch<T>::status_of_record(std::size_t, const cuda::BatchSolveRecord&); \
  template void DeviceBatch<T>::read_solves();
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
