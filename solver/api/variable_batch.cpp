#include "gpusupernodal/variable_batch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/api/batch_options.hpp"
#include "solver/api/grouped_batch.hpp"

namespace gpusupernodal {
namespace {

/// Calls check(), and names the system in what it throws.
template <class Check>
void check_system_of_list(std::int64_t system, const Check& check) {
  try {
    check();
  } catch (const InvalidInput& error) {
    fail<InvalidInput>("system {}: {}", system, error.what());
  }
}

}  // namespace

template <class T>
struct VariableBatchSolver<T>::Impl {
  Options options;
  std::unique_ptr<GroupedBatch<T>> batch;
  std::vector<unsigned char> wanted;  ///< One for each system.
  std::vector<BatchStatus> statuses, solve_statuses;
  bool is_unread = false;  ///< Outcomes of the last call are not in `statuses` yet.
  std::int64_t reserved_columns = 1;
  void* stream = nullptr;
  bool has_real_diagonals = false;
  std::vector<std::pair<const T*, std::int64_t>> places;  ///< Workspace of require_separate.

  std::int64_t count() const { return static_cast<std::int64_t>(wanted.size()); }
  bool is_wanted(std::int64_t i) const { return wanted[static_cast<std::size_t>(i)] != 0; }
  void require_analyzed(const char* call) const {
    if (!batch) fail<InvalidState>("{} was called before analyze", call);
  }
  void refuse_capture(const char* call) const;
  void require_space(std::int64_t system, MemorySpace space, const char* what) const;
  void check_values(Span<const T* const> values, MemorySpace space) const;
  std::int64_t check_vectors(Span<const DenseView<const T>> b, Span<const DenseView<T>> x);
  void check_pair(std::int64_t system, const DenseView<const T>& b, const DenseView<T>& x) const;
  std::int64_t checked(std::int64_t system) const;
  const BatchOutcomes& outcomes_of(std::int64_t system) const {
    const std::int64_t i = checked(system);
    if (is_unread) refuse_capture("a report");
    return batch->group_of(i).engine->outcomes();
  }
  void require_separate(Span<const DenseView<T>> x);
  void read();
};

template <class T>
void VariableBatchSolver<T>::Impl::refuse_capture(const char* call) const {
  if (batch->uses_device() && is_captured(stream))
    fail<InvalidState>(
        "{} of systems with several patterns was called while a graph is captured on the batch's stream; call it before the "
        "capture or after it, or capture a batch of one pattern",
        call);
}

template <class T>
void VariableBatchSolver<T>::Impl::require_space(std::int64_t system, MemorySpace space, const char* what) const {
  const BatchGroup<T>& group = batch->group_of(system);
  if (space == MemorySpace::device && group.host != nullptr)
    fail<InvalidInput>(
        "{} of system {}: device memory was given, but this system is computed on the host ({}); copy to the host, or "
        "request "
        "the backend cuda",
        what, system, group.report.backend_reason);
}

template <class T>
void VariableBatchSolver<T>::Impl::check_values(Span<const T* const> values, MemorySpace space) const {
  check_space(space, "the values");
  require_batch_count(static_cast<std::int64_t>(values.size()), "values", count());
  for (std::int64_t i = 0; i < count(); ++i) {
    if (!is_wanted(i)) continue;
    const FactorPlan& plan = *batch->group_of(i).plan;
    if (plan.assembly.entries_of_a == 0) continue;
    require_space(i, space, "the values");
    const T* const of_system = values[static_cast<std::size_t>(i)];
    if (of_system == nullptr) fail<InvalidInput>("system {} has no values (a null pointer)", i);
    if (has_real_diagonals) check_system_of_list(i, [&] { require_real_diagonal(of_system, plan); });
  }
}

template <class T>
void VariableBatchSolver<T>::Impl::check_pair(std::int64_t system, const DenseView<const T>& b,
                                              const DenseView<T>& x) const {
  const std::int64_t n = batch->group_of(system).plan->symbolic.order();
  check_system_of_list(system, [&] {
    check_dense(b, n, "b");
    check_dense(x, n, "x");
    if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
    if (b.data == x.data && x.cols > 1 && b.ld != x.ld)
      fail<InvalidInput>("x is b, but has leading dimension {} where b has {}", x.ld, b.ld);
  });
  require_space(system, b.space, "b");
  require_space(system, x.space, "x");
}

/// Throws InvalidInput if two wanted systems have the same solutions.
template <class T>
void VariableBatchSolver<T>::Impl::require_separate(Span<const DenseView<T>> x) {
  places.clear();
  for (std::int64_t i = 0; i < count(); ++i) {
    const DenseView<T>& of_system = x[static_cast<std::size_t>(i)];
    if (is_wanted(i) && of_system.rows > 0 && of_system.cols > 0) places.emplace_back(of_system.data, i);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t k = 1; k < places.size(); ++k) {
    if (places[k].first == places[k - 1].first)
      fail<InvalidInput>("systems {} and {} have the same x; give each system an array of its own", places[k - 1].second,
                         places[k].second);
  }
}

/// Returns the number of columns.
template <class T>
std::int64_t VariableBatchSolver<T>::Impl::check_vectors(Span<const DenseView<const T>> b, Span<const DenseView<T>> x) {
  require_batch_count(static_cast<std::int64_t>(b.size()), "right-hand sides", count());
  require_batch_count(static_cast<std::int64_t>(x.size()), "solutions", count());
  std::int64_t first = -1, columns = 0;
  for (std::int64_t i = 0; i < count(); ++i) {
    if (!is_wanted(i)) continue;
    const auto at = static_cast<std::size_t>(i);
    check_pair(i, b[at], x[at]);
    if (first < 0) {
      first = i;
      columns = b[at].cols;
    } else if (b[at].cols != columns) {
      fail<InvalidInput>(
          "system {} has {} right-hand sides, but system {} has {}; solve all wanted systems with the same number", i,
          b[at].cols, first, columns);
    }
  }
  require_separate(x);
  return columns;
}

template <class T>
std::int64_t VariableBatchSolver<T>::Impl::checked(std::int64_t system) const {
  if (system < 0 || system >= count()) fail<InvalidInput>("there is no system {}; the batch has {}", system, count());
  return system;
}

template <class T>
void VariableBatchSolver<T>::Impl::read() {
  if (!is_unread) return;
  refuse_capture("statuses");
  batch->read(statuses, solve_statuses);
  is_unread = false;
}

template <class T>
VariableBatchSolver<T>::VariableBatchSolver() : impl_(std::make_unique<Impl>()) {}

template <class T>
VariableBatchSolver<T>::VariableBatchSolver(Options options) : VariableBatchSolver() {
  set_options(std::move(options));
}

template <class T>
VariableBatchSolver<T>::~VariableBatchSolver() = default;
template <class T>
VariableBatchSolver<T>::VariableBatchSolver(VariableBatchSolver&&) noexcept = default;
template <class T>
VariableBatchSolver<T>& VariableBatchSolver<T>::operator=(VariableBatchSolver&&) noexcept = default;

template <class T>
const Options& VariableBatchSolver<T>::options() const {
  return impl_->options;
}

template <class T>
void VariableBatchSolver<T>::set_options(Options options) {
  check_batch_options(options);
  impl_->options = std::move(options);
}

template <class T>
void VariableBatchSolver<T>::analyze(Span<const MatrixView<T>> systems) {
  const auto count = static_cast<std::int64_t>(systems.size());
  check_batch_count(count);
  for (std::int64_t i = 0; i < count; ++i)
    check_system_of_list(i, [&] { check_matrix(systems[static_cast<std::size_t>(i)]); });
  refuse_batch_analysis_in_capture(impl_->stream);
  auto batch = std::make_unique<GroupedBatch<T>>(systems, impl_->options, impl_->stream);
  if (impl_->reserved_columns > 1) batch->reserve_right_hand_sides(impl_->reserved_columns);
  std::vector<unsigned char> wanted(systems.size(), 1);
  std::vector<BatchStatus> statuses(systems.size(), BatchStatus::not_factorized);
  std::vector<BatchStatus> solve_statuses = statuses;
  impl_->places.reserve(systems.size());
  // From here on nothing throws.
  impl_->statuses = std::move(statuses);
  impl_->solve_statuses = std::move(solve_statuses);
  impl_->batch = std::move(batch);
  impl_->is_unread = false;
  impl_->wanted = std::move(wanted);
  impl_->has_real_diagonals = has_real_diagonals<T>(impl_->options);
}

template <class T>
void VariableBatchSolver<T>::set_wanted(Span<const unsigned char> wanted) {
  impl_->require_analyzed("set_wanted");
  if (wanted.empty()) {
    std::fill(impl_->wanted.begin(), impl_->wanted.end(), static_cast<unsigned char>(1));
    return;
  }
  require_batch_count(static_cast<std::int64_t>(wanted.size()), "entries of a mask", count());
  std::copy(wanted.begin(), wanted.end(), impl_->wanted.begin());
}

template <class T>
void VariableBatchSolver<T>::refactorize(Span<const T* const> values, MemorySpace space) {
  impl_->require_analyzed("refactorize");
  impl_->refuse_capture("refactorize");
  impl_->check_values(values, space);
  impl_->is_unread = true;
  impl_->batch->refactorize(values, space, impl_->wanted, impl_->stream);
}

template <class T>
void VariableBatchSolver<T>::solve(Span<const DenseView<const T>> b, Span<const DenseView<T>> x, System part) {
  impl_->require_analyzed("solve");
  impl_->refuse_capture("solve");
  check_system(part);
  const std::int64_t columns = impl_->check_vectors(b, x);
  impl_->is_unread = true;
  impl_->batch->solve(part, b, x, columns, impl_->wanted, impl_->stream);
}

template <class T>
void VariableBatchSolver<T>::reserve_right_hand_sides(std::int64_t columns) {
  check_reserved_columns(columns);
  if (impl_->batch) {
    impl_->refuse_capture("reserve_right_hand_sides");
    impl_->batch->reserve_right_hand_sides(columns);
  }
  impl_->reserved_columns = columns;
}

template <class T>
void VariableBatchSolver<T>::set_stream(void* cuda_stream) {
  impl_->stream = cuda_stream;
}

template <class T>
std::int64_t VariableBatchSolver<T>::count() const {
  return impl_->count();
}

template <class T>
std::int64_t VariableBatchSolver<T>::order(std::int64_t system) const {
  const std::int64_t i = impl_->checked(system);  // First, because there is no batch before analyze.
  return impl_->batch->group_of(i).plan->symbolic.order();
}

template <class T>
std::int64_t VariableBatchSolver<T>::patterns() const {
  return impl_->batch ? static_cast<std::int64_t>(impl_->batch->groups().size()) : 0;
}

template <class T>
std::int64_t VariableBatchSolver<T>::pattern_of(std::int64_t system) const {
  const std::int64_t i = impl_->checked(system);
  return static_cast<std::int64_t>(impl_->batch->place_of(i).group);
}

template <class T>
const AnalyzeReport& VariableBatchSolver<T>::analyze_report(std::int64_t pattern) const {
  if (pattern < 0 || pattern >= patterns())
    fail<InvalidInput>("there is no pattern {}; the batch has {}", pattern, patterns());
  return impl_->batch->groups()[static_cast<std::size_t>(pattern)].report;
}

template <class T>
Span<const BatchStatus> VariableBatchSolver<T>::statuses() const {
  impl_->read();
  return impl_->statuses;
}

template <class T>
Span<const BatchStatus> VariableBatchSolver<T>::solve_statuses() const {
  impl_->read();
  return impl_->solve_statuses;
}

template <class T>
std::int64_t VariableBatchSolver<T>::failed() const {
  const Span<const BatchStatus> all = statuses();
  std::int64_t failed = 0;
  for (std::int64_t i = 0; i < count(); ++i) {
    if (impl_->is_wanted(i) && all[static_cast<std::size_t>(i)] != BatchStatus::success) ++failed;
  }
  return failed;
}

template <class T>
const FactorReport& VariableBatchSolver<T>::report(std::int64_t system) const {
  const std::int64_t i = impl_->checked(system);
  const std::size_t place = impl_->batch->place_of(i).place;
  const BatchOutcomes& outcomes = impl_->outcomes_of(i);
  if (outcomes.statuses[place] == BatchStatus::not_factorized)
    fail<InvalidState>("system {} has not been factorized", system);
  return outcomes.reports[place];
}

template <class T>
const SolveReport& VariableBatchSolver<T>::solve_report(std::int64_t system) const {
  const std::int64_t i = impl_->checked(system);
  return impl_->outcomes_of(i).solve_reports[impl_->batch->place_of(i).place];
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class VariableBatchSolver<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
