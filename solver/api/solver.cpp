#include "gpusupernodal/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/extraction.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/api/solver_state.hpp"
#include "solver/api/staging.hpp"
#include "solver/api/symmetric_norm.hpp"
#include "solver/common/fail.hpp"
#include "solver/iterative/inverse_norm.hpp"

namespace gpusupernodal {

SolveSteps steps_of(System part) {
  switch (part) {
    case System::a:
      return {true, true, true, true};
    case System::l:
      return {false, true, false, false};
    case System::lt:
      return {false, false, true, false};
    case System::p:
      return {true, false, false, false};
    case System::pt:
      return {false, false, false, true};
    case System::forward:
      return {true, true, false, false};
    case System::backward:
      return {false, false, true, true};
    case System::transposed:
      return {true, true, true, true, true};
    case System::adjoint:
      return {true, true, true, true, true, true};
  }
  return {};  // Never reached: check_system refuses every other number.
}

template <class T>
Solver<T>::Solver() : impl_(std::make_unique<Impl>()) {}

template <class T>
Solver<T>::Solver(Options options) : Solver() {
  set_options(std::move(options));
}

template <class T>
Solver<T>::~Solver() = default;
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <class T>
const Options& Solver<T>::options() const {
  return impl_->options;
}

template <class T>
void Solver<T>::set_options(Options options) {
  check_options(options);
  impl_->options = std::move(options);
}

template <class T>
void Solver<T>::analyze(const MatrixView<T>& a) {
  check_matrix(a);
  impl_->refuse_analysis_in_capture("analyze", a);
  const Stopwatch watch;
  const Options options = followed_options<T>(impl_->options);
  impl_->adopt(obtain_plan_of(a, options, impl_->stream), options);
  keep_plan(pattern_of(a), options, impl_->plan);
  impl_->analyze_report.seconds_total = watch.seconds();
}

template <class T>
void Solver<T>::load_plan(const MatrixView<T>& a, const std::string& path) {
  check_matrix(a);
  impl_->refuse_analysis_in_capture("load_plan");
  const Stopwatch watch;
  const Options options = followed_options<T>(impl_->options);
  impl_->adopt(read_plan(pattern_of(a), options, path), options);
  impl_->analyze_report.seconds_total = watch.seconds();
}

template <class T>
void Solver<T>::analyze(const MatrixView<T>& a, std::shared_ptr<const FactorPlan> plan) {
  check_matrix(a);
  if (!plan) fail<InvalidInput>("the plan is a null pointer");
  impl_->refuse_analysis_in_capture("analyze");
  const Stopwatch watch;
  validate_pattern(pattern_of(a));
  if (!same_pattern(*plan, pattern_of(a)))
    fail<InvalidInput>("the plan was made for another pattern than that of the matrix");
  const bool for_lu = plan->structure().general != nullptr;
  if (for_lu != (impl_->options.form == Form::lu))
    fail<InvalidInput>("the plan was made for {}, but the option form is {}",
                       for_lu ? "the form lu" : "the forms llt and ldlt", name_of(impl_->options.form));
  require_last_rows(*plan, impl_->options, "the plan");
  Options of_plan = impl_->options;
  if (for_lu) of_plan.lu_schedule = plan->structure().lu_schedule();
  impl_->adopt({std::move(plan), PlanSource::caller}, followed_options<T>(of_plan));
  impl_->analyze_report.seconds_total = watch.seconds();
}

template <class T>
std::shared_ptr<const FactorPlan> Solver<T>::plan() const {
  return impl_->plan;
}

template <class T>
void Solver<T>::factorize(const MatrixView<T>& a) {
  impl_->factorize(a, "factorize");
}

template <class T>
void Solver<T>::compute(const MatrixView<T>& a) {
  check_matrix(a);
  impl_->refuse_analysis_in_capture("compute", a);
  const Stopwatch watch;
  const Options options = followed_options<T>(impl_->options);
  const ObtainedPlan obtained = obtain_plan_of(a, options, impl_->stream);
  require_values(a.values, *obtained.plan);  // Before the analysis and the factor are replaced.
  impl_->adopt(obtained, options);
  keep_plan(pattern_of(a), options, impl_->plan);
  impl_->analyze_report.seconds_total = watch.seconds();
  impl_->factorize(a.values, a.value_space);
}

template <class T>
void Solver<T>::refactorize(Span<const T> values, MemorySpace space) {
  impl_->require_analyzed("refactorize");
  check_space(space, "the values");
  const auto expected = static_cast<std::size_t>(impl_->plan->assembly.entries_of_a);
  if (values.size() != expected) {
    fail<InvalidInput>("{} values were given, but the analyzed matrix has {} entries", values.size(), expected);
  }
  impl_->factorize(values.data(), space);
}

template <class T>
void Solver<T>::refactorize(const MatrixView<T>& a) {
  impl_->factorize(a, "refactorize");
}

template <class T>
void Solver<T>::set_shift(double offset, double scale) {
  constexpr double largest = std::numeric_limits<typename ScalarTraits<T>::Real>::max();
  if (!(std::abs(offset) <= largest && std::abs(scale) <= largest))
    fail<InvalidInput>("the shift {} and the scale {} must be finite", offset, scale);
  impl_->offset = offset;
  impl_->scale = scale;
}

template <class T>
Status Solver<T>::status() {
  impl_->require_factorized("status");
  impl_->read_outcome();
  return impl_->factor_report.status;
}

template <class T>
void Solver<T>::solve(const DenseView<const T>& b, const DenseView<T>& x, System part) {
  impl_->require_sound_factor("solve");
  check_system(part);
  check_dense(b, order(), "b");
  check_dense(x, order(), "x");
  if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
  if (b.cols == 0 || b.rows == 0) return;
  if (impl_->options.check_right_hand_sides && b.space == MemorySpace::host) check_right_hand_sides(b);
  const bool refine = is_whole(part);
  impl_->require_part(part);
  const MemorySpace space = impl_->executor->vectors().space();
  if (space == MemorySpace::device) {
    check_alignment<T>(b.data, b.space, "b");
    check_alignment<T>(x.data, x.space, "x");
  }
  if (b.space != space || x.space != space)
    impl_->refuse_in_capture("solve", "waits until b and x are copied to or from the backend's memory");
  if (space == MemorySpace::device || (b.space == MemorySpace::host && x.space == MemorySpace::host)) {
    impl_->solve(steps_of(part), b, x, refine);
    return;
  }
  const HostCopy<T> right(b.data, b.space, extent(b), impl_->stream);
  const DenseView<const T> host_b(right.data(), b.rows, b.cols, b.ld);
  if (x.space == MemorySpace::host) {
    impl_->solve(steps_of(part), host_b, x, refine);
    return;
  }
  HostResult<T> result(x);
  impl_->solve(steps_of(part), host_b, result.view(), refine);
  result.write_back(impl_->stream);
}

template <class T>
void Solver<T>::reserve_right_hand_sides(std::int64_t columns) {
  check_reserved_columns(columns);
  if (impl_->executor) impl_->executor->factorization().reserve_right_hand_sides(columns);
  impl_->reserved_columns = columns;
}

template <class T>
void Solver<T>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
  if (impl_->executor) impl_->executor->context().set_stream(cuda_stream);
}

template <class T>
bool Solver<T>::is_analyzed() const {
  return impl_->executor != nullptr;
}

template <class T>
bool Solver<T>::is_factorized() const {
  return impl_->factorized;
}

template <class T>
std::int64_t Solver<T>::order() const {
  return impl_->plan ? impl_->plan->symbolic.order() : 0;
}

template <class T>
Backend Solver<T>::backend() const {
  return impl_->analyze_report.backend;
}

template <class T>
const AnalyzeReport& Solver<T>::analyze_report() const {
  return impl_->analyze_report;
}

template <class T>
FactorReport Solver<T>::factor_report() {
  impl_->require_factorized("factor_report");
  impl_->read_outcome();
  return impl_->factor_report;
}

template <class T>
const SolveReport& Solver<T>::solve_report() const {
  return impl_->solve_report;
}

template <class T>
std::string Solver<T>::trace_json() {
  impl_->require_analyzed("trace_json");
  impl_->refuse_wait_in_capture("trace_json");
  const Trace* const trace = impl_->executor->context().trace();
  if (trace == nullptr) fail<InvalidState>("there is no trace; set Options::trace before analyze");
  return gpusupernodal::trace_json(*trace);
}

template <class T>
std::vector<std::int64_t> Solver<T>::old_of_new() const {
  impl_->require_analyzed("old_of_new");
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(order()));
  for (OldIndex i : impl_->plan->symbolic.permutation.old_of_new) result.push_back(i.value);
  return result;
}

template <class T>
FactorMatrix<T> Solver<T>::extract_l() {
  impl_->refuse_wait_in_capture("extract_l");
  impl_->require_cholesky("extract_l");
  impl_->wait_for_factor("extract_l");
  std::vector<T> panels(static_cast<std::size_t>(impl_->plan->panels.values()));
  impl_->executor->factorization().copy_panels(panels);
  return factor_matrix<T>(*impl_->plan, panels);
}

template <class T>
PivotBlocks<T> Solver<T>::extract_d() {
  impl_->require_analyzed("extract_d");
  if (!impl_->is_ldlt())
    fail<InvalidInput>("{} needs the form ldlt, but the analyzed form is {}", "extract_d", impl_->form_name());
  impl_->wait_for_factor("extract_d");
  PivotBlocks<T> d;
  d.diagonal.resize(static_cast<std::size_t>(order()));
  d.beside.resize(static_cast<std::size_t>(order()));
  impl_->executor->factorization().copy_pivots(d.diagonal, d.beside);
  return d;
}

template <class T>
double Solver<T>::reciprocal_condition(const MatrixView<T>& a) {
  impl_->refuse_wait_in_capture("reciprocal_condition");
  impl_->require_cholesky("reciprocal_condition");
  impl_->wait_for_factor("reciprocal_condition");
  check_matrix(a);
  impl_->require_same_pattern(a);
  require_values(a.values, *impl_->plan);
  const HostCopy<T> values(a.values, a.value_space, impl_->plan->assembly.entries_of_a, impl_->stream);
  const double norm = symmetric_norm(a, values.data(), impl_->factor_scale, impl_->factor_offset);
  FactorPreconditioner<T> factor(impl_->executor->factorization());
  const double inverse_norm = inverse_norm_estimate<T>(order(), factor);
  return norm > 0.0 && inverse_norm > 0.0 ? 1.0 / (norm * inverse_norm) : 0.0;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class Solver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
