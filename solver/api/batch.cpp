#include "gpusupernodal/batch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "solver/api/batch_choice.hpp"
#include "solver/api/batch_options.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

template <class T>
struct BatchSolver<T>::Impl {
  Options options;
  std::shared_ptr<const FactorPlan> plan;
  std::unique_ptr<BatchEngine<T>> engine;
  AnalyzeReport analyze_report;
  std::vector<unsigned char> wanted;  ///< One for each system.
  std::int64_t reserved_columns = 1;
  void* stream = nullptr;
  bool has_real_diagonals = false;  ///< The complex systems are Hermitian, and one half is read.

  void require_analyzed(const char* call) const {
    if (!engine) fail<InvalidState>("{} was called before analyze", call);
  }
  std::int64_t count() const { return static_cast<std::int64_t>(wanted.size()); }
  bool is_wanted(std::int64_t i) const { return wanted[static_cast<std::size_t>(i)] != 0; }
  void require_count(std::int64_t given, const char* what) const { require_batch_count(given, what, count()); }
  void require_space(MemorySpace space, const char* what) const;
  void check_values(const BatchValues<T>& values) const;
  void check_real_diagonals(const BatchValues<T>& values) const;
  template <class Entry>
  void check_view(const BatchView<Entry>& view, const char* what) const;
  void require_separate(const BatchView<T>& x) const;
  std::size_t checked(std::int64_t system) const;
};

template <class T>
void BatchSolver<T>::Impl::require_space(MemorySpace space, const char* what) const {
  if (space == MemorySpace::device && engine->space() == MemorySpace::host)
    fail<InvalidInput>(
        "{} of a batch: device memory was given, but this batch runs on the host ({}); copy to the host, or request the "
        "backend cuda",
        what, analyze_report.backend_reason);
}

template <class T>
void BatchSolver<T>::Impl::check_values(const BatchValues<T>& values) const {
  check_space(values.space, "the values");
  require_space(values.space, "the values");
  require_count(values.count, "values");
  const std::int64_t entries = plan->assembly.entries_of_a;
  if (entries == 0) return;
  if (values.data != nullptr) {
    constexpr std::int64_t max_entries = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::int64_t>(sizeof(T));
    if (values.count > 1 && values.stride < entries)
      fail<InvalidInput>("the values have stride {}; it must be at least {}, the number of entries of A", values.stride,
                         entries);
    if (values.count > 1 && values.stride > max_entries / values.count)
      fail<InvalidInput>("the values of {} systems have stride {}, more than any memory holds", values.count, values.stride);
    return;
  }
  for (std::int64_t i = 0; i < count(); ++i) {
    if (is_wanted(i) && (values.pointers == nullptr || values.pointers[i] == nullptr))
      fail<InvalidInput>("system {} has no values (a null pointer)", i);
  }
}

/// Checks all systems before anything is computed, as Solver does.
template <class T>
void BatchSolver<T>::Impl::check_real_diagonals(const BatchValues<T>& values) const {
  if (!has_real_diagonals) return;
  for (std::int64_t i = 0; i < count(); ++i) {
    if (is_wanted(i)) require_real_diagonal(values.of(i), *plan);
  }
}

template <class T>
template <class Entry>
void BatchSolver<T>::Impl::check_view(const BatchView<Entry>& view, const char* what) const {
  check_dense(DenseView<Entry>(view.data, view.rows, view.cols, view.ld, view.space), plan->symbolic.order(), what);
  require_space(view.space, what);
  require_count(view.count, what);
  constexpr std::int64_t max_entries =
      std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::int64_t>(sizeof(Entry)) / 2;
  const std::int64_t last = view.cols > 0 ? (view.cols - 1) * view.ld + view.rows : 0;
  if (view.stride < 0 || last > max_entries || (view.count > 0 && view.stride > max_entries / view.count))
    fail<InvalidInput>("{} has stride {} for {} systems; it must be 0 or more, and fit in memory", what, view.stride,
                       view.count);
}

/// Systems lie one after another, or their columns are interleaved.
template <class T>
void BatchSolver<T>::Impl::require_separate(const BatchView<T>& x) const {
  if (x.count <= 1 || x.cols == 0 || x.rows == 0) return;
  const bool one_by_one = x.stride >= (x.cols - 1) * x.ld + x.rows;
  const bool interleaved = x.stride >= x.rows && (x.cols == 1 || x.ld >= (x.count - 1) * x.stride + x.rows);
  if (!one_by_one && !interleaved)
    fail<InvalidInput>("x has stride {} and leading dimension {}, so the solutions of two systems overlap", x.stride, x.ld);
}

template <class T>
std::size_t BatchSolver<T>::Impl::checked(std::int64_t system) const {
  if (system < 0 || system >= count()) fail<InvalidInput>("there is no system {}; the batch has {}", system, count());
  return static_cast<std::size_t>(system);
}

template <class T>
BatchSolver<T>::BatchSolver() : impl_(std::make_unique<Impl>()) {}

template <class T>
BatchSolver<T>::BatchSolver(Options options) : BatchSolver() {
  set_options(std::move(options));
}

template <class T>
BatchSolver<T>::~BatchSolver() = default;
template <class T>
BatchSolver<T>::BatchSolver(BatchSolver&&) noexcept = default;
template <class T>
BatchSolver<T>& BatchSolver<T>::operator=(BatchSolver&&) noexcept = default;

template <class T>
const Options& BatchSolver<T>::options() const {
  return impl_->options;
}

template <class T>
void BatchSolver<T>::set_options(Options options) {
  check_batch_options(options);
  impl_->options = std::move(options);
}

template <class T>
void BatchSolver<T>::analyze(const MatrixView<T>& a, std::int64_t count) {
  check_matrix(a);
  check_batch_count(count);
  const Stopwatch watch;
  refuse_batch_analysis_in_capture(impl_->stream);
  MadeBatch<T> made = make_batch(a, impl_->options, count, impl_->stream);
  const Options& options = made.options;
  made.engine->set_stream(impl_->stream);
  if (impl_->reserved_columns > 1) made.engine->reserve_right_hand_sides(impl_->reserved_columns);
  AnalyzeReport report = made.engine->analyze_report();
  report.backend_reason = std::move(made.reason);
  std::vector<unsigned char> wanted(static_cast<std::size_t>(count), 1);
  // From here on nothing throws.
  keep_plan(pattern_of(a), options, made.plan.plan);
  impl_->plan = std::move(made.plan.plan);
  impl_->engine = std::move(made.engine);
  impl_->wanted = std::move(wanted);
  impl_->has_real_diagonals = has_real_diagonals<T>(options);
  impl_->analyze_report = std::move(report);
  impl_->analyze_report.seconds_total = watch.seconds();
}

template <class T>
void BatchSolver<T>::set_wanted(Span<const unsigned char> wanted) {
  impl_->require_analyzed("set_wanted");
  if (wanted.empty()) {
    std::fill(impl_->wanted.begin(), impl_->wanted.end(), static_cast<unsigned char>(1));
    return;
  }
  impl_->require_count(static_cast<std::int64_t>(wanted.size()), "entries of a mask");
  std::copy(wanted.begin(), wanted.end(), impl_->wanted.begin());
}

template <class T>
void BatchSolver<T>::refactorize(const BatchValues<T>& values) {
  impl_->require_analyzed("refactorize");
  impl_->check_values(values);
  impl_->check_real_diagonals(values);
  impl_->engine->refactorize(values, impl_->wanted);
}

template <class T>
void BatchSolver<T>::solve(const BatchView<const T>& b, const BatchView<T>& x, System part) {
  impl_->require_analyzed("solve");
  check_system(part);
  impl_->check_view(b, "b");
  impl_->check_view(x, "x");
  impl_->require_separate(x);
  if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
  if (b.data == x.data && ((x.count > 1 && b.stride != x.stride) || (x.cols > 1 && b.ld != x.ld)))
    fail<InvalidInput>("x is b, but has stride {} and leading dimension {} where b has {} and {}", x.stride, x.ld, b.stride,
                       b.ld);
  impl_->engine->solve(part, b, x, impl_->wanted);
}

template <class T>
void BatchSolver<T>::reserve_right_hand_sides(std::int64_t columns) {
  check_reserved_columns(columns);
  if (impl_->engine) impl_->engine->reserve_right_hand_sides(columns);
  impl_->reserved_columns = columns;
}

template <class T>
void BatchSolver<T>::set_stream(void* cuda_stream) {
  if (impl_->engine) impl_->engine->set_stream(cuda_stream);
  impl_->stream = cuda_stream;
}

template <class T>
std::int64_t BatchSolver<T>::order() const {
  return impl_->plan ? impl_->plan->symbolic.order() : 0;
}

template <class T>
std::int64_t BatchSolver<T>::count() const {
  return impl_->count();
}

template <class T>
const AnalyzeReport& BatchSolver<T>::analyze_report() const {
  return impl_->analyze_report;
}

template <class T>
Span<const BatchStatus> BatchSolver<T>::statuses() const {
  return impl_->engine ? Span<const BatchStatus>(impl_->engine->outcomes().statuses) : Span<const BatchStatus>();
}

template <class T>
Span<const BatchStatus> BatchSolver<T>::solve_statuses() const {
  return impl_->engine ? Span<const BatchStatus>(impl_->engine->outcomes().solve_statuses) : Span<const BatchStatus>();
}

template <class T>
std::int64_t BatchSolver<T>::failed() const {
  const Span<const BatchStatus> all = statuses();
  std::int64_t failed = 0;
  for (std::int64_t i = 0; i < impl_->count(); ++i) {
    if (impl_->is_wanted(i) && all[static_cast<std::size_t>(i)] != BatchStatus::success) ++failed;
  }
  return failed;
}

template <class T>
const FactorReport& BatchSolver<T>::report(std::int64_t system) const {
  const std::size_t i = impl_->checked(system);
  const BatchOutcomes& outcomes = impl_->engine->outcomes();
  if (outcomes.statuses[i] == BatchStatus::not_factorized) fail<InvalidState>("system {} has not been factorized", system);
  return outcomes.reports[i];
}

template <class T>
const SolveReport& BatchSolver<T>::solve_report(std::int64_t system) const {
  const std::size_t i = impl_->checked(system);  // First, because there is no engine before analyze.
  return impl_->engine->outcomes().solve_reports[i];
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class BatchSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
