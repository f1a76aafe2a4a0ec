#include "plugin/petsc/collected_system.hpp"

#include <utility>

#include "gpusupernodal/error.hpp"
#include "plugin/petsc/collected_rows.hpp"
#include "plugin/petsc/device_memory.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/logging.hpp"

namespace gpusupernodal::petsc {

/// On the owner: analyzes a new pattern, takes the values.
void CollectedSystem::set_up_owner(const PreconditionerSettings& settings, bool same_pattern) {
  const MatrixView<PetscScalar>& view = input_.view();
  const Span<const PetscScalar> values(view.values, static_cast<std::size_t>(input_.value_count()));
  if (is_method(settings.kind)) {
    if (!same_pattern) {
      pcg_.reset();
      system_ = std::make_unique<SystemSolver<PetscScalar>>(settings.system);
      system_->analyze(view);
    }
    system_->update(values, view.value_space);
    outcome_.backend = Backend::host;
    return;
  }
  if (!same_pattern) {
    system_.reset();
    pcg_ = std::make_unique<Pcg<PetscScalar>>(settings.pcg);
    pcg_->analyze(view);
  }
  pcg_->update(values, view.value_space);
  outcome_.setup = pcg_->setup_report();
  outcome_.backend = pcg_->backend();
}

PetscErrorCode CollectedSystem::set_up(PetscObject user, Mat a, const PreconditionerSettings& settings,
                                       bool settings_changed) {
  bool same_pattern = false;
  PetscFunctionBegin;
  PetscCall(register_log_events());
  if (!has_ranks_) PetscCall(ranks_of(user, &ranks_));
  has_ranks_ = true;
  if (!settings_changed) PetscCall(pattern_.recognizes(ranks_, a, &same_pattern));
  pattern_.forget();
  values_ = MatrixState();
  {
    const LogScope scope(log_events().upload, a);
    PetscCall(input_.open(ranks_, a, Entries::upper_triangle, same_pattern, Wanted::host_values));
  }
  {
    const LogScope scope(same_pattern ? log_events().factor : log_events().analyze, a);
    kind_ = settings.kind;
    outcome_ = SystemOutcome();
    const PetscErrorCode error = together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
      if (ranks_.owner()) set_up_owner(settings, same_pattern);
      return PETSC_SUCCESS;
    });
    PetscCall(input_.close());
    PetscCall(error);
  }
  PetscCall(broadcast(ranks_, &outcome_, sizeof(outcome_)));
  PetscCall(pattern_.remember(ranks_, a));
  PetscCall(state_of_values(a, &values_));
  DeviceStream current;
  PetscCall(current_stream(&current));
  const PetscInt device = settings.pcg.device;
  takes_device_arrays_ =
      ranks_.alone() && outcome_.backend == Backend::cuda && current.device >= 0 && (device < 0 || device == current.device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedSystem::has_values_of(Mat a, bool* has) const {
  MatrixState values;
  PetscFunctionBegin;
  PetscCall(state_of_values(a, &values));
  *has = values == values_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedSystem::take_values(Mat a) {
  PetscFunctionBegin;
  const LogScope scope(log_events().upload, a);
  values_ = MatrixState();
  PetscCall(input_.open(ranks_, a, Entries::upper_triangle, true, Wanted::host_values));
  const PetscErrorCode error = together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (!ranks_.owner()) return PETSC_SUCCESS;
    const PcgOptions options = pcg_->options();
    PcgOptions keeping = options;
    keeping.renewal = Renewal::never;
    pcg_->set_options(keeping);
    const MatrixView<PetscScalar>& view = input_.view();
    pcg_->update(Span<const PetscScalar>(view.values, static_cast<std::size_t>(input_.value_count())), view.value_space);
    pcg_->set_options(options);
    return PETSC_SUCCESS;
  });
  PetscCall(input_.close());
  PetscCall(error);
  PetscCall(state_of_values(a, &values_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedSystem::follow_stream() {
  DeviceStream current;
  PetscFunctionBegin;
  PetscCall(current_stream(&current));
  if (pcg_) pcg_->set_stream(current.stream);
  if (system_) system_->set_stream(current.stream);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Body>
PetscErrorCode CollectedSystem::with_own_rows(Vec in, Vec out, Body&& body) {
  PlacedArray<const PetscScalar> from;
  PlacedArray<PetscScalar> to;
  PetscInt n = 0;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(in, &n));
  PetscCall(borrow_read(in, takes_device_arrays_, &from));
  PetscCall(borrow_both(out, takes_device_arrays_, &to));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (from.space == MemorySpace::device || to.space == MemorySpace::device) {
      const PetscErrorCode unset = follow_stream();
      if (unset != PETSC_SUCCESS) return unset;
    }
    return body(DenseView<const PetscScalar>(from.data, n, from.space), DenseView<PetscScalar>(to.data, n, to.space));
  });
  PetscCall(restore_both(out, takes_device_arrays_, &to));
  PetscCall(restore_read(in, takes_device_arrays_, &from));
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Body>
PetscErrorCode CollectedSystem::with_collected_rows(Vec in, Vec out, bool keep, Body&& body) {
  PetscFunctionBegin;
  PetscCall(collect_rows(ranks_, in, &counts_, &in_));
  if (keep) PetscCall(collect_rows(ranks_, out, &counts_, &out_));
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (!ranks_.owner()) return PETSC_SUCCESS;
    const auto n = static_cast<std::int64_t>(in_.size());
    out_.resize(in_.size());
    return body(DenseView<const PetscScalar>(in_.data(), n), DenseView<PetscScalar>(out_.data(), n));
  }));
  PetscCall(distribute_rows(ranks_, out_, counts_, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Body>
PetscErrorCode CollectedSystem::with_rows(Vec in, Vec out, bool keep, Body&& body) {
  PetscFunctionBegin;
  if (ranks_.alone()) {
    PetscCall(with_own_rows(in, out, body));
  } else {
    PetscCall(with_collected_rows(in, out, keep, body));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedSystem::apply(Vec r, Vec z) {
  PetscFunctionBegin;
  const LogScope scope(log_events().solve, reinterpret_cast<PetscObject>(r));
  PetscCall(with_rows(r, z, false, [&](const auto& in, const auto& out) -> PetscErrorCode {
    if (!is_method(kind_)) {
      pcg_->precondition(in, out);
      return PETSC_SUCCESS;
    }
    const SystemReport& report = system_->solve(in, out);
    outcome_.backend = report.backend;
    outcome_.status = report.status;
    outcome_.method = report.method;
    outcome_.iterations = report.iterations;
    outcome_.failed_column = report.failed_column;
    return PETSC_SUCCESS;
  }));
  if (is_method(kind_)) PetscCall(broadcast(ranks_, &outcome_, sizeof(outcome_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On the owner.
PetscErrorCode CollectedSystem::run(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x,
                                    const IterationRequest& request, IterationResult* result) {
  PetscErrorCode failed_look = PETSC_SUCCESS;
  PcgOptions options = pcg_->options();
  options.tolerance = 0.0;
  options.absolute_tolerance = request.threshold;
  options.max_iterations = request.max_iterations;
  options.progress = [&](const PcgProgress& progress) {
    const double residual = progress.residual * request.right_hand_side;
    if (ranks_.alone()) {
      failed_look = request.look(progress.iterations, residual);
    } else {
      looks_.push_back({progress.iterations, residual});
    }
    result->diverged = request.divergence > 0.0 && residual >= request.divergence;
    return failed_look == PETSC_SUCCESS && !result->diverged;
  };
  pcg_->set_options(std::move(options));
  try {
    result->report = pcg_->solve(b, x, request.use_start);
  } catch (const Cancelled&) {  // By the function above: diverged, or a monitor has failed.
    result->report = pcg_->setup_report();
  }
  return failed_look;
}

/// Shows all ranks what the owner saw.
PetscErrorCode CollectedSystem::show_looks(const IterationRequest& request) {
  auto count = static_cast<std::int64_t>(looks_.size());
  PetscFunctionBegin;
  PetscCall(broadcast(ranks_, &count, sizeof(count)));
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    looks_.resize(static_cast<std::size_t>(count));
    return PETSC_SUCCESS;
  }));
  PetscCall(broadcast(ranks_, looks_.data(), looks_.size() * sizeof(Look)));
  for (const Look& look : looks_) PetscCall(request.look(look.iteration, look.residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectedSystem::iterate(Vec b, Vec x, const IterationRequest& request, IterationResult* result) {
  PetscFunctionBegin;
  {
    const LogScope scope(log_events().solve, reinterpret_cast<PetscObject>(b));
    looks_.clear();
    PetscCall(with_rows(b, x, true, [&](const auto& in, const auto& out) { return run(in, out, request, result); }));
  }
  if (ranks_.alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(broadcast(ranks_, result, sizeof(*result)));
  PetscCall(show_looks(request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
