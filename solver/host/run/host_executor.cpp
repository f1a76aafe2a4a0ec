#include "solver/host/run/host_executor.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>

#include "solver/backend/factor_progress.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/float_mode.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/host_factorization.hpp"
#include "solver/host/run/host_residual.hpp"
#include "solver/host/run/host_trace.hpp"
#include "solver/host/run/subnormals.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {
namespace {

template <class T>
void require_host(const DenseView<T>& view, const char* name) {
  if (view.space == MemorySpace::device) {
    fail<InvalidInput>("{} is in device memory, but the solver runs on the host backend; copy it to the host first", name);
  }
}

}  // namespace

template <class T>
HostExecutor<T>::HostExecutor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options)
    : plan_(std::move(plan)),
      allocator_(options.allocator ? options.allocator : default_host_allocator()),
      workers_(worker_count(options.threads)),
      factor_workers_(
          host_factor_workers(plan_->structure->stored_flops, plan_->schedule.graph.critical_path_flops, workers_)),
      check_finite_(options.check_finite),
      team_(workers_),
      runner_(plan_->schedule.graph.tasks.size()),
      monitor_(workers_),
      values_(allocator_, plan_->structure->panels.values(), "the values of L"),
      kept_a_(allocator_, options.keep_a ? plan_->structure->assembly.entries_of_a : 0, "a copy of A's values"),
      residual_work_(allocator_, options.keep_a ? 2 * std::int64_t{plan_->structure->symbolic.order()} : 0, "the residual"),
      vectors_(allocator_, host_solve_elements(*plan_, workers_), "one right-hand side"),
      trace_(options.trace ? std::make_unique<Trace>(workers_) : nullptr),
      solves_(*plan_, team_, trace_.get()) {}

template <class T>
std::string HostExecutor<T>::device_name() const {
  return fmt::format("{} {}, {}", workers_, workers_ == 1 ? "thread" : "threads", host_kernels<T>().name);
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
  const TaskGraph& graph = plan_->schedule.graph;
  const HostFactorization<T> factorization(*plan_, input, check_finite_, values_.data(), monitor_);
  FactorProgress progress(input.report_progress, input.report_progress != nullptr ? total_flops(graph) : 0.0);
  const FloatMode callers = FloatMode::of_this_thread();
  const FloatMode mode = subnormals_are_negligible(*plan_, input, team_) ? callers.flushing() : callers;
  runner_.run(graph, team_, factor_workers_, [&](const Task& task, int worker) {
    const WithFloatMode with(mode);
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
void HostExecutor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  require_host(b, "b");
  require_host(x, "x");
  const bool failed = outcome_.status != Status::success && (steps.forward || steps.backward);
  traced(trace_.get(), 0, call_slice("solve"), [&] {
    for (std::int64_t first = 0; first < b.cols; first += reserved_columns_) {
      const auto columns = static_cast<std::int32_t>(std::min(reserved_columns_, b.cols - first));
      solves_.run(steps, values_.data(),
                  {b.data + first * b.ld, b.ld, x.data + first * x.ld, x.ld, solve_vectors(columns), failed});
    }
  });
}

template <class T>
SolveVectors<T> HostExecutor<T>::solve_vectors(std::int32_t columns) const {
  SolveVectors<T> vectors;
  vectors.y = vectors_.data();
  vectors.boundary = vectors.y + plan_->structure->symbolic.order() * std::int64_t{columns};
  vectors.scratch = vectors.boundary + plan_->solve.boundary_entries * columns;
  vectors.nrhs = columns;
  return vectors;
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
  for (SupernodeId s : plan_->structure->symbolic.supernode_ids()) {
    T* const target = host.data() + plan_->structure->symbolic.first_column[s].value;
    for (std::int32_t c = 0; c < plan_->structure->symbolic.width(s); ++c)
      target[c] = values_.data()[plan_->structure->panels.index(s, c, c)];
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
std::unique_ptr<Executor<T>> make_host_executor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options) {
  return std::make_unique<HostExecutor<T>>(std::move(plan), options);
}

template std::unique_ptr<Executor<float>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);
template std::unique_ptr<Executor<double>> make_host_executor(std::shared_ptr<const HostPlan>, const ExecutorOptions&);

}  // namespace gpusupernodal
