#include "solver/api/solver_state.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/lu_verification.hpp"
#include "solver/api/portions.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/outcome_sentence.hpp"
#include "solver/iterative/richardson.hpp"

namespace gpusupernodal {
namespace {

/// Calls the caller's callback; throws Cancelled if it returns false. This is a free function because the library would
/// export a closure that is created in a member of an exported class.
ProgressCallback progress_to_caller(const Options& options) {
  return [&options](double fraction) {
    if (!options.factor_progress(Progress{"factorize", fraction}))
      fail<Cancelled>("factorize was cancelled with {:.2f} of its flops done", fraction);
  };
}

}  // namespace

template <class T>
void SolverState<T>::adopt(ObtainedPlan obtained, const Options& with) {
  const std::int64_t held = executor && analyze_report.backend == Backend::cuda ? analyze_report.memory.total() : 0;
  take(choose_backend<T>(std::move(obtained.plan), with, held), obtained.source, with);
}

template <class T>
void SolverState<T>::take(ChosenBackend<T> chosen, PlanSource source, const Options& with) {
  const bool keep_a = keeps_a(with);
  std::shared_ptr<const FactorPlan>& new_plan = chosen.plan;
  chosen.executor->context().set_stream(stream);
  if (reserved_columns > 1) chosen.executor->factorization().reserve_right_hand_sides(reserved_columns);
  // Taken now, so that no solve has to.
  const int slots = refinement_vectors + (with.form != Form::llt ? probe_vectors : 0);
  for (int slot = 0; keep_a && slot < slots; ++slot) {
    chosen.executor->vectors().scratch(slot, new_plan->symbolic.order(), 1);
  }
  AnalyzeReport report = describe_analysis(*new_plan, source, chosen.backend, scalar_type_of<T>, with);
  if (chosen.memory) report.memory = *chosen.memory;
  if (!chosen.devices.empty()) add_devices(std::move(chosen.devices), report);
  Options asked = options;
  asked.lu_schedule = with.lu_schedule;  // If the caller gave a plan, its schedule.
  report.backend_reason = backend_reason<T>(asked, chosen.reason);
  report.memory.workspace += chosen.executor->context().workspace_beyond_plan();
  report.device = chosen.executor->context().device_name();
  Options copy = with;
  executors_of_graphs.reserve(executors_of_graphs.size() + 1);
  // From here on nothing throws.
  if (executor && executor->context().is_in_graph()) executors_of_graphs.push_back(std::move(executor));
  plan = std::move(new_plan);
  analyzed_options = std::move(copy);
  executor = std::move(chosen.executor);
  analyze_report = std::move(report);
  executor_keeps_a = keep_a;
  factorized = false;
  broken_off = false;
  outcome_read = false;
  keeps_small_pivots = false;
  factor_report = FactorReport();
  solve_report = SolveReport();
}

template <class T>
void SolverState<T>::refuse_in_capture(const char* call, const char* reason) const {
  if (stream == nullptr || !is_captured(stream)) return;
  fail<InvalidState>(
      "{} was called while a graph is captured on the solver's stream, but it {}; call it before the capture or after it",
      call, reason);
}

template <class T>
void SolverState<T>::refuse_capture_of_executor(const char* call) const {
  if (const char* const reason = executor->context().reason_against_capture()) refuse_in_capture(call, reason);
}

template <class T>
void SolverState<T>::refuse_analysis_in_capture(const char* call) const {
  const bool uses_device = executor && executor->vectors().space() == MemorySpace::device;
  if (uses_device || allows_device(options)) refuse_in_capture(call, "takes memory of the device or gives it back");
}

template <class T>
void SolverState<T>::refuse_analysis_in_capture(const char* call, const MatrixView<T>& a) const {
  refuse_analysis_in_capture(call);
  if (options.form == Form::lu && a.value_space == MemorySpace::device)
    refuse_in_capture(call, "reads the values of A to exchange rows");
}

template <class T>
void SolverState<T>::refuse_wait_in_capture(const char* call) const {
  if (executor && executor->vectors().space() == MemorySpace::device) refuse_in_capture(call, "waits for the device");
}

/// Refinement decides whether an executor keeps A, so switching it needs another executor; the analysis stays. After a
/// capture this is refused: the graph would keep using the old executor, and the two would not see each other's factors.
template <class T>
void SolverState<T>::change_refinement() {
  if (is_verified() || executor_keeps_a == (options.refinement.max_steps > 0)) return;
  if (executor->context().is_in_graph()) {
    fail<InvalidState>(
        "refinement was switched {} after a graph captured a call of this solver, which would go on with memory that the "
        "next factorization does not write; switch it back, call analyze first (the graph then keeps its factor), or take "
        "another solver",
        executor_keeps_a ? "off" : "on");
  }
  refuse_analysis_in_capture("factorize after a change of refinement");
  const AnalyzeReport before = analyze_report;
  const std::int64_t factorizations = factor_report.factorizations;
  const SolveReport last_solve = solve_report;
  Options with = analyzed_options;
  with.refinement = options.refinement;
  with.backend = analyze_report.backend;
  const Backend wanted = analyzed_options.backend;
  adopt({plan, before.plan_source}, with);
  analyzed_options.backend = wanted;
  analyze_report.seconds_total = before.seconds_total;
  analyze_report.backend_reason = before.backend_reason;
  factor_report.factorizations = factorizations;
  solve_report = last_solve;
}

template <class T>
void SolverState<T>::require_analyzed(const char* call) const {
  if (!executor) fail<InvalidState>("{} was called before analyze", call);
}

template <class T>
void SolverState<T>::require_factorized(const char* call) const {
  require_analyzed(call);
  if (factorized) return;
  if (broken_off)
    fail<InvalidState>("{} was called before factorize; the last attempt was cancelled or broken off by an error", call);
  fail<InvalidState>("{} was called before factorize", call);
}

template <class T>
void SolverState<T>::require_sound_factor(const char* call) {
  require_factorized(call);
  if (!outcome_read && executor->factorization().outcome_known()) read_outcome();
  if (outcome_read && factor_report.status != Status::success) {
    fail<NumericalFailure>("{} needs a factor, but the last factorization failed: {}", call,
                           outcome_sentence(factor_report, plan->structure().lu_schedule()));
  }
}

template <class T>
void SolverState<T>::wait_for_factor(const char* call) {
  require_factorized(call);
  read_outcome();
  require_sound_factor(call);
}

template <class T>
void SolverState<T>::require_pivots_of_a(const char* call) {
  refuse_wait_in_capture(call);
  wait_for_factor(call);
  if (factor_report.perturbed_pivots > 0)
    fail<NumericalFailure>("{} needs pivots of A itself, but {} of them were replaced", call,
                           factor_report.perturbed_pivots);
}

template <class T>
void SolverState<T>::require_cholesky(const char* call) const {
  require_analyzed(call);
  if (is_verified()) fail<InvalidInput>("{} needs a Cholesky factor, but the analyzed form is {}", call, form_name());
}

template <class T>
void SolverState<T>::require_part(System part) const {
  if (is_verified() && !is_whole(part)) {
    fail<InvalidInput>("a solve with the form {} takes System::a, System::transposed or System::adjoint only", form_name());
  }
}

template <class T>
void SolverState<T>::require_same_pattern(const MatrixView<T>& a) const {
  if (a.n != plan->symbolic.order()) {
    fail<InvalidInput>("the matrix is of order {}, but the analyzed one is of order {}", a.n, plan->symbolic.order());
  }
  const PatternView pattern = pattern_of(a);
  const bool needs_indices = plan->assembly.entries_of_a > 0;
  if (a.n > 0 && (pattern.offsets.is_null() || (needs_indices && pattern.indices.is_null()))) {
    fail<InvalidInput>("the matrix has no offsets or no indices (null pointers); refactorize(values) takes values alone");
  }
  if (pattern.entries() != plan->assembly.entries_of_a) {
    fail<InvalidInput>("the matrix has {} entries, but the analyzed one has {}", pattern.entries(),
                       plan->assembly.entries_of_a);
  }
  if (!same_pattern(*plan, pattern))
    fail<InvalidInput>("the matrix has another pattern than the analyzed one; analyze it first");
}

template <class T>
void SolverState<T>::factorize(const MatrixView<T>& a, const char* call) {
  require_analyzed(call);
  check_matrix(a);
  require_same_pattern(a);
  factorize(a.values, a.value_space);
}

template <class T>
void SolverState<T>::factorize(const T* values, MemorySpace space) {
  require_values(values, *plan);
  if (is_lu() && offset != 0.0) fail<InvalidInput>("the shift is {}, but LU takes none; add it to the values of A", offset);
  if (space != executor->vectors().space())
    refuse_in_capture("factorize", "waits until the values are copied to the backend's memory");
  if (executor->vectors().space() == MemorySpace::device) check_alignment(values, space, "the array of A's values");
  const Stopwatch watch;
  const bool staged = space == MemorySpace::device && executor->vectors().space() == MemorySpace::host;
  const HostCopy<T> host(values, staged ? space : MemorySpace::host, plan->assembly.entries_of_a, stream);
  // A device checks values in its memory itself, without a wait.
  const bool on_host = staged || space == MemorySpace::host;
  if (on_host && !is_lu() && !is_symmetric()) require_real_diagonal(host.data(), *plan);
  change_refinement();
  refuse_capture_of_executor("factorize");
  // Until here, an exception leaves the factor unchanged.
  refinement = options.refinement;
  factor_offset = offset;
  factor_scale = scale;
  const std::int64_t before = factor_report.factorizations;
  const std::int64_t repivoted = factor_report.repivoted;
  factorized = false;
  broken_off = true;
  keeps_small_pivots = false;
  const ProgressCallback report_progress = progress_to_caller(options);
  executor->factorization().factorize({host.data(), staged ? MemorySpace::host : space, static_cast<Real>(scale),
                                       static_cast<Real>(offset), options.factor_progress ? &report_progress : nullptr});
  broken_off = false;
  factor_report = FactorReport();
  factor_report.factorizations = before + 1;
  factor_report.repivoted = repivoted;
  factor_report.form = is_lu() ? Form::lu : analyzed_options.form;
  factor_report.shift = offset;
  factor_report.seconds = watch.seconds();
  factorized = true;
  outcome_read = false;
}

template <class T>
void SolverState<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x, bool whole) {
  refuse_capture_of_executor("solve");
  const std::int64_t columns = std::min(b.cols, max_columns_at_once);
  if (columns > reserved_columns) {
    executor->factorization().reserve_right_hand_sides(columns);
    reserved_columns = columns;
  }
  const bool verified = whole && is_verified();
  const bool refined = whole && (refinement.max_steps > 0 || verified);
  if (refined) refuse_wait_in_capture("solve with refinement");
  // The outcome says whether solves must be refined. It is known on the host, and a verified solve waits for a device
  // anyway.
  if (verified) wait_for_factor("solve");
  const double trusted = trusted_backward_error<T>(plan->symbolic.order());
  const bool in_place = verified && share_memory(b, x);  // A wrong solution has then overwritten b.
  const bool finite_before = in_place && is_finite_anywhere(b);
  const Stopwatch watch;
  SolveReport report;
  if (verified) {
    SolveRules rules{verifying(refinement, doubtful ? 0.0 : trusted), krylov_limits(in_place)};
    if (refinement.max_steps > 0 && refinement.backward_error > 0.0)
      rules.krylov.backward_error = std::min(rules.krylov.backward_error, refinement.backward_error);
    report = verified_solve(*executor, steps, rules, b, x);
  } else if (refined) {
    FactorPreconditioner<T> factor(executor->factorization(), steps);
    report = richardson<T>(matrix_of(*executor, steps), factor, executor->vectors(), refinement, b, x);
  } else {
    executor->factorization().solve(steps, b, x);
  }
  report.seconds = watch.seconds();
  const int solves = (steps.forward ? 1 : 0) + (steps.backward ? 1 : 0);
  const FactorStructure& structure = plan->structure();
  const bool has_panels = !structure.columns && !structure.dense;
  const std::int64_t triangle = has_panels ? plan->panels.values() : structure.factor_values() / 2;
  report.bytes_of_l =
      static_cast<double>(triangle) * sizeof(T) * solves * (1 + report.refinement_steps + report.fgmres_iterations);
  solve_report = report;
  if (!verified || report.backward_error <= trusted) return;
  if (!(in_place ? finite_before : is_finite_anywhere(b))) return;
  if (in_place || !may_repivot()) refuse_solution(report, trusted);
  repivot();  // Clears may_repivot() after two calls at most.
  solve(steps, b, x, whole);
}

/// is_finite() of a view in any memory space.
template <class T>
bool SolverState<T>::is_finite_anywhere(const DenseView<const T>& b) const {
  const HostCopy<T> copy(b.data, b.space, extent(b), stream);
  return is_finite(DenseView<const T>(copy.data(), b.rows, b.cols, b.ld));
}

/// Reports a solution of LU or LDLᵀ that was written to x but cannot be trusted.
template <class T>
void SolverState<T>::refuse_solution(const SolveReport& report, double trusted) const {
  const bool on_device = executor->vectors().space() == MemorySpace::device;
  const char* const cure = is_lu()     ? "equations that almost repeat others are the usual reason"
                           : on_device ? "the host backend exchanges pivots"
                                       : "the form lu, with all entries of A, exchanges rows first";
  fail<NumericalFailure>(
      "the solution has the backward error {:.3g} after {} steps of refinement and {} iterations of FGMRES, more than "
      "{:.3g}: {} pivots were replaced, and {} grew by a factor of {:.3g}; {}",
      report.backward_error, report.refinement_steps, report.fgmres_iterations, trusted, factor_report.perturbed_pivots,
      is_lu() ? "L and U" : "the factors", factor_report.growth, cure);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SolverState<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
