#include "solver/exec/host/host_executor.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>

#include "solver/exec/factor_progress.hpp"
#include "solver/exec/host/host_allocator.hpp"
#include "solver/exec/host/host_factorization.hpp"
#include "solver/exec/host/host_residual.hpp"
#include "solver/exec/host/host_trace.hpp"
#include "solver/plan/cost_model.hpp"
#include "solver/plan/host_memory.hpp"

namespace gpusupernodal {
namespace {

// Below this much work a worker, waking it costs more than it brings.
constexpr double solve_values_worth_a_worker = 1e5;
constexpr double permuted_entries_worth_a_worker = 5e4;
/// Entries of a vector that a worker permutes at a time.
constexpr std::int64_t permuted_at_a_time = 8192;

/// Workers that `work` can keep busy, at least 1 and at most all.
int useful_workers(int all, double work, double worth_a_worker) {
  return static_cast<int>(std::clamp(work / worth_a_worker, 1.0, static_cast<double>(all)));
}

/// Calls visit(first, last, column) for pieces of all columns of length n, on several threads where that pays.
template <class Visit>
void for_each_piece(int all_workers, std::int64_t n, std::int32_t columns, const Visit& visit) {
  const std::int64_t pieces = (n + permuted_at_a_time - 1) / permuted_at_a_time;
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](int) {
    for (std::int64_t i = next++; i < pieces * columns; i = next++) {
      const std::int64_t first = i % pieces * permuted_at_a_time;
      visit(NewIndex(first), NewIndex(std::min(first + permuted_at_a_time, n)), static_cast<std::int32_t>(i / pieces));
    }
  };
  const auto entries = static_cast<double>(n) * columns;
  run_workers(useful_workers(all_workers, entries, permuted_entries_worth_a_worker), std::ref(work));
}

std::size_t most_tasks(const FactorPlan& plan) {
  return std::max(
      {plan.host_schedule.graph.tasks.size(), plan.host_solve.forward.tasks.size(), plan.host_solve.backward.tasks.size()});
}

template <class T>
void require_host(const DenseView<T>& view, const char* name) {
  if (view.space == MemorySpace::device) {
    fail<InvalidInput>("{} is in device memory, but the solver runs on the host backend; copy it to the host first", name);
  }
}

}  // namespace

template <class T>
HostExecutor<T>::HostExecutor(std::shared_ptr<const FactorPlan> plan, const ExecutorOptions& options)
    : plan_(std::move(plan)),
      allocator_(options.allocator ? options.allocator : default_host_allocator()),
      workers_(worker_count(options.threads)),
      factor_workers_(host_factor_workers(*plan_, workers_)),
      check_finite_(options.check_finite),
      runner_(most_tasks(*plan_)),
      monitor_(workers_),
      values_(allocator_, plan_->panels.values(), "the values of L"),
      kept_a_(allocator_, options.keep_a ? plan_->assembly.entries_of_a : 0, "a copy of A's values"),
      residual_work_(allocator_, options.keep_a ? 2 * std::int64_t{plan_->symbolic.order()} : 0, "the residual"),
      vectors_(allocator_, host_solve_elements(*plan_, workers_), "one right-hand side"),
      trace_(options.trace ? std::make_unique<Trace>(workers_) : nullptr) {}

template <class T>
std::string HostExecutor<T>::device_name() const {
  return fmt::format("{} threads, {}", workers_, host_kernels<T>().name);
}

template <class T>
void HostExecutor<T>::factorize(const FactorInput<T>& input) {
  if (input.space == MemorySpace::device) {
    fail<InvalidInput>("the values of A are in device memory, but the solver runs on the host backend; copy them first");
  }
  if (kept_a_.size() > 0) std::copy(input.values, input.values + kept_a_.size(), kept_a_.data());
  scale_ = input.scale;
  shift_ = input.shift;
  monitor_.reset();
  outcome_ = FactorOutcome();
  if (trace_) trace_->clear();
  traced(trace_.get(), 0, call_slice("factorize"), [&] { run_factorization(input); });
  outcome_ = monitor_.outcome();
}

template <class T>
void HostExecutor<T>::run_factorization(const FactorInput<T>& input) {
  const TaskGraph& graph = plan_->host_schedule.graph;
  const HostFactorization<T> factorization(*plan_, input, check_finite_, values_.data(), monitor_);
  FactorProgress progress(input.tell, input.tell != nullptr ? total_flops(graph) : 0.0);
  runner_.run(graph, factor_workers_, [&](const Task& task, int worker) {
    if (trace_) {
      traced(trace_.get(), worker, task_slice(*plan_, task, worker), [&] { factorization.run(task, worker); });
    } else {
      factorization.run(task, worker);
    }
    progress.done(worker, task.flops);
  });
  progress.end();
}

template <class T>
void HostExecutor<T>::permute_in(bool permute, const DenseView<const T>& b, std::int64_t first, std::int32_t columns) {
  const auto& old_of_new = plan_->symbolic.permutation.old_of_new;
  const std::int64_t n = plan_->symbolic.order();
  for_each_piece(workers_, n, columns, [&](NewIndex begin, NewIndex end, std::int32_t c) {
    const T* const source = b.data + (first + c) * b.ld;
    T* const y = vectors_.data() + c * n;
    if (permute) {
      for (NewIndex k : IdRange<NewIndex>(begin, end)) y[k.value] = source[old_of_new[k].value];
    } else {
      std::copy(source + begin.value, source + end.value, y + begin.value);
    }
  });
}

template <class T>
void HostExecutor<T>::permute_out(bool permute, bool failed, std::int64_t first, std::int32_t columns,
                                  const DenseView<T>& x) const {
  const auto& old_of_new = plan_->symbolic.permutation.old_of_new;
  const std::int64_t n = plan_->symbolic.order();
  for_each_piece(workers_, n, columns, [&](NewIndex begin, NewIndex end, std::int32_t c) {
    const T* const y = vectors_.data() + c * n;
    T* const target = x.data + (first + c) * x.ld;
    if (failed) {
      std::fill(target + begin.value, target + end.value, std::numeric_limits<T>::quiet_NaN());
    } else if (permute) {
      for (NewIndex k : IdRange<NewIndex>(begin, end)) target[old_of_new[k].value] = y[k.value];
    } else {
      std::copy(y + begin.value, y + end.value, target + begin.value);
    }
  });
}

template <class T>
void HostExecutor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  require_host(b, "b");
  require_host(x, "x");
  const bool failed = outcome_.status != Status::success && (steps.forward || steps.backward);
  traced(trace_.get(), 0, call_slice("solve"), [&] {
    for (std::int64_t first = 0; first < b.cols; first += reserved_columns_) {
      const auto columns = static_cast<std::int32_t>(std::min(reserved_columns_, b.cols - first));
      permute_in(steps.permute_in, b, first, columns);
      if (!failed) triangular_solves(steps, columns);
      permute_out(steps.permute_out, failed, first, columns, x);
    }
  });
}

template <class T>
SolveVectors<T> HostExecutor<T>::solve_vectors(std::int32_t columns) const {
  SolveVectors<T> vectors;
  vectors.y = vectors_.data();
  vectors.boundary = vectors.y + plan_->symbolic.order() * std::int64_t{columns};
  vectors.scratch = vectors.boundary + plan_->host_solve.boundary_entries * columns;
  vectors.nrhs = columns;
  return vectors;
}

template <class T>
void HostExecutor<T>::triangular_solves(const SolveSteps& steps, std::int32_t columns) {
  const HostSolve<T> tasks(*plan_, values_.data(), solve_vectors(columns));
  const double work = static_cast<double>(values_.size()) * columns;
  const int workers = useful_workers(workers_, work, solve_values_worth_a_worker);
  if (steps.forward) {
    runner_.run(plan_->host_solve.forward, workers, [&](const SolveTask& task, int worker) {
      if (!trace_) return tasks.forward(task, worker);
      traced(trace_.get(), worker, forward_slice(*plan_, task, worker), [&] { tasks.forward(task, worker); });
    });
  }
  if (steps.backward) {
    runner_.run(plan_->host_solve.backward, workers, [&](const SolveTask& task, int worker) {
      if (!trace_) return tasks.backward(task, worker);
      traced(trace_.get(), worker, backward_slice(*plan_, task, worker), [&] { tasks.backward(task, worker); });
    });
  }
}

template <class T>
void HostExecutor<T>::reserve_right_hand_sides(std::int64_t columns) {
  if (columns <= reserved_columns_) return;
  vectors_ = Buffer<T>(allocator_, host_solve_elements(*plan_, workers_) * columns, "the right-hand sides");
  reserved_columns_ = columns;
}

template <class T>
typename Executor<T>::ResidualNorms HostExecutor<T>::residual(const DenseView<const T>& b, const DenseView<const T>& x,
                                                              const DenseView<T>& r) {
  return host_residual(*plan_, FactorInput<T>{kept_a_.data(), MemorySpace::host, scale_, shift_}, b, x, r,
                       residual_work_.data());
}

template <class T>
void HostExecutor<T>::add(const DenseView<const T>& d, const DenseView<T>& x) {
  for (std::int64_t c = 0; c < x.cols; ++c) {
    for (std::int64_t i = 0; i < x.rows; ++i) x.data[i + c * x.ld] += d.data[i + c * d.ld];
  }
}

template <class T>
void HostExecutor<T>::copy_panels(Span<T> host) {
  std::copy(values_.data(), values_.data() + values_.size(), host.data());
}

template <class T>
void HostExecutor<T>::copy_diagonal(Span<T> host) {
  for (SupernodeId s : plan_->symbolic.supernode_ids()) {
    const T* const panel = values_.data() + plan_->panels.value_offset[s];
    T* const target = host.data() + plan_->symbolic.first_column[s].value;
    for (std::int32_t c = 0; c < plan_->symbolic.width(s); ++c)
      target[c] = panel[c * (std::int64_t{plan_->panels.ld[s]} + 1)];
  }
}

template <class T>
DenseView<T> HostExecutor<T>::scratch(int slot, std::int64_t rows, std::int64_t cols) {
  const auto index = static_cast<std::size_t>(slot);
  if (scratch_.size() <= index) scratch_.resize(index + 1);
  if (scratch_[index].size() < rows * cols) scratch_[index] = Buffer<T>(allocator_, rows * cols, "a vector of refinement");
  return DenseView<T>(scratch_[index].data(), rows, cols, std::max<std::int64_t>(rows, 1));
}

template <class T>
std::unique_ptr<Executor<T>> make_host_executor(std::shared_ptr<const FactorPlan> plan, const ExecutorOptions& options) {
  return std::make_unique<HostExecutor<T>>(std::move(plan), options);
}

template std::unique_ptr<Executor<float>> make_host_executor(std::shared_ptr<const FactorPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<double>> make_host_executor(std::shared_ptr<const FactorPlan>, const ExecutorOptions&);

}  // namespace gpusupernodal
