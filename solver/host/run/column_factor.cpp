#include "solver/host/run/column_factor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/plan/column_workers.hpp"

namespace gpusupernodal {
namespace {

/// Work that takes much longer than waking a team of threads.
constexpr double min_flops_for_threads = 2e5;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
HostColumnFactor<T>::HostColumnFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                      HostContext& context, HostOperator<T>* matrix)
    : plan_(std::move(plan)),
      structure_(*plan_->structure->columns),
      context_(context),
      matrix_(matrix),
      kernels_(host_kernels<T>()),
      check_finite_(options.check_finite),
      perturbation_(options.perturbation > 0.0 ? options.perturbation : std::sqrt(std::numeric_limits<Real>::epsilon())),
      monitor_(context.workers()),
      scaled_(context.allocator(), static_cast<std::int64_t>(plan_->structure->assembly.source.size()), "the scaled A"),
      rows_of_u_(context.allocator(), structure_.n, "the rows of U"),
      growth_(at(context.workers())),
      largest_in_column_(at(structure_.tail())),
      row_workers_(column_workers(structure_, context.workers())),
      workspace_(context.allocator(), host_solve_elements(*plan_, context.workers()), "a dense row for each thread") {
  std::fill_n(workspace_.data(), workspace_.size(), T(0));
  scales_workspace_.row.resize(at(structure_.n));
  scales_workspace_.column.resize(at(structure_.n));
  scales_workspace_.largest.resize(at(structure_.n));
  for (std::int32_t k = 0; k < structure_.n; ++k) {
    RowOfU<T>& row = rows_of_u_[k] = RowOfU<T>();
    if (structure_.in_tail(k)) continue;
    row.begin = structure_.diagonal(k) + 1;
    row.count = structure_.upper[at(k)] - 1;
  }
  by_levels_ = row_workers_ > 1 && levels_are_worth_threads();
}

template <class T>
void HostColumnFactor<T>::factorize(const FactorInput<T>& input) {
  if (input.space == MemorySpace::device) {
    fail<InvalidInput>("the values of A are in device memory, but the solver runs on the host backend; copy them first");
  }
  if (matrix_ != nullptr) matrix_->set_values(input);
  monitor_.reset();
  std::fill(growth_.begin(), growth_.end(), Growth());
  system_->outcome = FactorOutcome();
  Trace* const trace = context_.writable_trace();
  if (trace != nullptr) trace->clear();
  traced(trace, 0, call_slice("factorize"), [&] {
    system_->scales->set(input, scales_workspace_, scaled_.data());
    const double largest = system_->scales->largest_entry() > 0.0 ? system_->scales->largest_entry() : 1.0;
    smallest_allowed_ = std::max(static_cast<Real>(perturbation_ * largest), std::numeric_limits<Real>::min());
    factorize_rows(input);
  });
  system_->outcome = monitor_.outcome(Form::lu);
  system_->outcome.largest_in_a = system_->scales->largest_entry();
  double growth = growth_of_tail();
  for (const Growth& of_worker : growth_) growth = std::max(growth, of_worker.value);
  system_->outcome.growth = system_->outcome.largest_in_a > 0.0 ? growth / system_->outcome.largest_in_a : 0.0;
}

template <class T>
int HostColumnFactor<T>::workers_for(double flops, std::int64_t most) const {
  return flops < min_flops_for_threads ? 1 : static_cast<int>(std::clamp<std::int64_t>(most, 1, context_.workers()));
}

template <class T>
void HostColumnFactor<T>::factorize_rows(const FactorInput<T>& input) {
  FactorProgress progress(input.report_progress, structure_.flops);
  if (by_levels_) {
    factorize_by_levels(input, progress);
  } else {
    factorize_in_order(input, progress);
  }
  if (structure_.tail() > 0) factorize_tail(progress);
  progress.end();
}

template <class T>
double HostColumnFactor<T>::flops_per_row() const {
  return (structure_.flops - structure_.tail_flops) / std::max(structure_.n, 1);
}

/// Whether most of the work is in levels that occupy several threads.
template <class T>
bool HostColumnFactor<T>::levels_are_worth_threads() const {
  std::int64_t rows = 0;
  for (std::size_t level = 0; level + 1 < structure_.level_offset.size(); ++level) {
    const std::int64_t count = structure_.level_offset[level + 1] - structure_.level_offset[level];
    if (flops_per_row() * static_cast<double>(count) >= min_flops_for_threads) rows += count;
  }
  return 2 * rows > structure_.n;
}

/// Neighbouring rows need about the same rows above them, so this order uses caches better than that of levels.
template <class T>
void HostColumnFactor<T>::factorize_in_order(const FactorInput<T>& input, FactorProgress& progress) {
  constexpr std::int32_t rows_per_report = 64;
  for (std::int32_t first = 0; first < structure_.n; first += rows_per_report) {
    const std::int32_t last = std::min(structure_.n, first + rows_per_report);
    for (std::int32_t row = first; row < last; ++row) factorize_row(input, row, 0);
    progress.done(0, flops_per_row() * (last - first));
  }
}

/// Levels with little work, of which there are many, stay on the calling thread.
template <class T>
void HostColumnFactor<T>::factorize_by_levels(const FactorInput<T>& input, FactorProgress& progress) {
  const auto levels = static_cast<std::int64_t>(structure_.level_offset.size()) - 1;
  for (std::int64_t level = 0; level < levels; ++level) {
    const std::int64_t begin = structure_.level_offset[at(level)];
    const std::int64_t count = structure_.level_offset[at(level) + 1] - begin;
    const double flops = flops_per_row() * static_cast<double>(count);
    const int workers = workers_for(flops, std::min<std::int64_t>(row_workers_, count));
    const auto work = [&](int worker) {
      const std::int64_t first = begin + count * worker / workers;
      const std::int64_t last = begin + count * (worker + 1) / workers;
      for (std::int64_t i = first; i < last; ++i) factorize_row(input, structure_.rows_by_level[at(i)], worker);
    };
    if (workers == 1) {
      work(0);
    } else {
      context_.team().run(workers, std::ref(work));
    }
    progress.done(0, flops);
  }
}

/// Puts a row of the scaled A into the dense row, which is zero, and its entries in later diagonal blocks into the values.
template <class T>
void HostColumnFactor<T>::assemble_row(const FactorInput<T>& input, std::int32_t row, int worker) {
  const AssemblyMap& map = plan_->structure->assembly;
  const std::int64_t end_of_u = structure_.row_offset[at(row)] + structure_.lower[at(row)] + structure_.upper[at(row)];
  const std::int64_t end_of_row = structure_.row_offset[at(row) + 1];
  T* const dense = workspace(worker);
  for (std::int64_t e = structure_.first_entry[at(row)]; e < structure_.first_entry[at(row) + 1]; ++e) {
    const T entry = scaled_[e];
    if (check_finite_ && !ScalarTraits<T>::is_finite(entry)) report_entry(input, map.source[at(e)], worker);
    const std::int64_t target = map.target[at(e)];
    const bool in_later_block = end_of_u < end_of_row && target >= end_of_u && target < end_of_row;
    (in_later_block ? system_->factor.data()[target] : dense[map.column[at(e)].value]) = entry;
  }
}

/// A scaled entry that is not finite may be that of a finite one.
template <class T>
void HostColumnFactor<T>::report_entry(const FactorInput<T>& input, std::int64_t entry, int worker) {
  const T value = input.values[entry];
  if (ScalarTraits<T>::is_finite(value)) return;
  monitor_.entry_not_finite(worker, entry, static_cast<double>(ScalarTraits<T>::non_finite_part(value)));
}

/// Subtracts multiples of the rows above, in a dense vector. Entries that the pattern lacks are never met.
template <class T>
void HostColumnFactor<T>::factorize_row(const FactorInput<T>& input, std::int32_t row, int worker) {
  assemble_row(input, row, worker);
  T* const dense = workspace(worker);
  T* const values = system_->factor.data();
  const std::int64_t begin = structure_.row_offset[at(row)];
  const std::int64_t middle = begin + structure_.lower[at(row)];
  const std::int64_t end = middle + structure_.upper[at(row)];
  const std::int32_t* const columns = structure_.columns.data();
  double growth = 0;
  for (std::int64_t e = begin; e < middle; ++e) {
    const RowOfU<T>& above = rows_of_u_[columns[e]];
    T& entry = dense[columns[e]];
    const T factor = entry * above.inverse;
    entry = T(0);
    values[e] = factor;
    growth = std::max(growth, static_cast<double>(ScalarTraits<T>::abs(factor)) * above.largest);
    const std::int32_t* const column = columns + above.begin;
    const T* const source = values + above.begin;
    for (std::int32_t u = 0; u < above.count; ++u) dense[column[u]] -= factor * source[u];
  }
  Real largest = 0;
  for (std::int64_t e = middle; e < end; ++e) {
    values[e] = dense[columns[e]];
    dense[columns[e]] = T(0);
    largest = std::max(largest, ScalarTraits<T>::abs(values[e]));
  }
  if (structure_.in_tail(row)) {
    std::copy_n(dense + structure_.tail_begin, structure_.tail(),
                values + structure_.tail_index(row, structure_.tail_begin));
    std::fill_n(dense + structure_.tail_begin, structure_.tail(), T(0));
  } else {
    accept_pivot(row, worker);
    RowOfU<T>& own = rows_of_u_[row];
    own.inverse = T(1) / values[middle];
    own.largest = std::max(largest, ScalarTraits<T>::abs(values[middle]));
    growth = std::max(growth, static_cast<double>(own.largest));  // The diagonal of L is 1.
  }
  double& of_worker = growth_[at(worker)].value;
  of_worker = std::max(of_worker, growth);
}

template <class T>
void HostColumnFactor<T>::accept_pivot(std::int32_t row, int worker) {
  T& pivot = system_->factor.data()[structure_.diagonal(row)];
  pivot = monitor_.accept_lu_pivot(worker, NewIndex(row), pivot, smallest_allowed_);
}

template <class T>
void HostColumnFactor<T>::copy_panels(Span<T> host) {
  std::copy_n(system_->factor.data(), system_->factor.size(), host.data());
}

template <class T>
void HostColumnFactor<T>::copy_diagonal(Span<T> host) {
  for (std::int32_t k = 0; k < structure_.n; ++k) {
    const T pivot = system_->factor.data()[structure_.diagonal(k)];
    host[at(k)] = pivot / system_->scales->row()[k] / system_->scales->column()[k];
  }
}

template <class T>
std::unique_ptr<SystemFactor<T>> make_column_factor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                                    HostContext& context, HostOperator<T>* matrix) {
  return std::make_unique<HostColumnFactor<T>>(std::move(plan), options, context, matrix);
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                    \
  template class HostColumnFactor<T>;                                                                                   \
  template std::unique_ptr<SystemFactor<T>> make_column_factor(std::shared_ptr<const HostPlan>, const ExecutorOptions&, \
                                                               HostContext&, HostOperator<T>*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
