/// \file
/// Factorizations of the CUDA executor and their outcome.

#include <bit>

#include "gpusupernodal/built_with.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/run/cuda_executor.hpp"
#include "solver/cuda/run/level_progress.hpp"
#include "solver/cuda/run/ranges.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Adds what LU and LDLᵀ report.
void add_pivot_outcome(const DeviceStatus& status, FactorOutcome& outcome) {
  outcome.perturbed_pivots = status.replaced_pivots;
  outcome.largest_in_a = std::bit_cast<double>(status.largest_in_a);
  if (outcome.largest_in_a > 0.0) outcome.growth = std::bit_cast<double>(status.largest_in_lu) / outcome.largest_in_a;
  if (status.smallest_pivot_key != no_pivot_key)
    outcome.smallest_pivot_column = NewIndex(static_cast<std::int32_t>(status.smallest_pivot_key & 0xffffffffU));
}

}  // namespace

/// Returns A's values on the device. Values in host memory are copied before this returns.
template <class T>
const void* CudaExecutor<T>::values_on_device(const FactorInput<T>& input) {
  if (input.space == MemorySpace::device && !keep_a_) return input.values;
  const std::size_t bytes = static_cast<std::size_t>(plan_->structure->assembly.entries_of_a) * sizeof(T);
  if (bytes == 0) return a_;
  const bool from_host = input.space == MemorySpace::host;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(a_, input.values, bytes,
                                           from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice, streams_.main()));
  if (from_host) wait();
  return a_;
}

template <class T>
void CudaExecutor<T>::factorize(const FactorInput<T>& input) {
  const Range range("factorize");
  if (trace_) trace_->calls().clear();
  traced(calls(), 0, call_slice("factorize"), [&] {
    forked([&] {
      captured_ = caller_captures();
      in_graph_ = in_graph_ || captured_;
      if (trace_) captured_ ? trace_->stop() : trace_->start(streams_.main());
      const ProgressCallback* const report_progress = captured_ ? nullptr : input.report_progress;
      if (report_progress != nullptr) (*report_progress)(0.0);
      launch_factorization(input, report_progress);
      if (report_progress == nullptr) return;
      wait();
      (*report_progress)(1.0);
    });
  });
}

/// What the first launch of a factorization resets. The panels of stages are zeroed stage by stage.
template <class T>
ResetArguments CudaExecutor<T>::reset_arguments(const void* values, double scale) const {
  ResetArguments arguments{status_, values, scale};
  if (staged_) return arguments;
  arguments.zeroed = values_;
  arguments.zeroed_bytes = plan_->structure->factor_values() * static_cast<std::int64_t>(sizeof(T));
  if (!is_lu()) return arguments;
  arguments.exponents = scales_.largest;
  arguments.exponent_count = cuda_scaling_sweeps(*plan_) * 2 * order();
  return arguments;
}

/// Sets panels := scale·A + shift·I, for LU and LDLᵀ with scaled rows and columns. Precondition: reset_status().
template <class T>
void CudaExecutor<T>::assemble_panels(Real shift) {
  const cudaStream_t main = streams_.main();
  const LaunchMark mark(trace_.get(), "assemble", main);
  const auto entries = static_cast<std::int64_t>(plan_->structure->assembly.source.size());
  if constexpr (built_with(Form::lu)) {
    if (is_lu()) {
      const LuEntries a{tasks_.source, tasks_.target, tasks_.entry_row, tasks_.entry_column, entries};
      return assemble_scaled<Number>(values_, a, scales_, check_finite_, status_, begins_early(), main);
    }
  }
  assemble<Number>(values_, tasks_.source, tasks_.target, entries, check_finite_, status_, main);
  if constexpr (is_complex) {
    if (is_hermitian()) keep_real_diagonal<Number>(values_, tasks_.diagonal, own_columns(), order(), main);
  }
  if (shift != Real(0)) shift_diagonal<Number>(values_, tasks_.diagonal, own_columns(), shift, main);
  if constexpr (built_with(Form::ldlt)) {
    if (!is_ldlt_) return;
    scale_assembled<Number>(values_,
                            {tasks_.source, tasks_.target, tasks_.entry_row, tasks_.entry_column, entries, tasks_.diagonal},
                            ldlt_scales_, status_, main);
  }
}

template <class T>
void CudaExecutor<T>::inspect_pivots_on(cudaStream_t stream) {
  if constexpr (built_with(Form::lu)) {
    if (is_lu())
      return inspect_lu<Number>({values_, partner(), tasks_.diagonal, tasks_.column_rows, order()}, status_, begins_early(),
                                stream);
  }
  if constexpr (built_with(Form::ldlt)) {
    if (is_ldlt_)
      return inspect_ldlt<Number>({values_, pivots_, tasks_.diagonal, tasks_.column_rows, order(), perturbation_}, status_,
                                  stream);
  }
  inspect_pivots<Number>(values_, tasks_.diagonal, 0, own_columns(), status_, stream);
}

/// Whether launches may begin before the preceding one has ended; if so, they would begin before their mark in a trace.
template <class T>
bool CudaExecutor<T>::begins_early() const {
  return early_launches_ && !trace_;
}

/// Merges inverses of wide blocks and inspects the pivots. Nothing else waits for either, so they run side by side if
/// there are several streams.
template <class T>
void CudaExecutor<T>::finish_factor() {
  const cudaStream_t main = streams_.main();
  const LaunchMark mark(trace_.get(), "merge_inverses", main);
  const bool concurrently = streams_.count() > 1 && !tasks_.inverse_merge_groups().empty();
  const cudaStream_t pivot_stream = concurrently ? streams_.side(1) : main;
  if (concurrently) {
    eliminated_.record(main);
    eliminated_.make_wait(pivot_stream);
  }
  inspect_pivots_on(pivot_stream);
  if (concurrently) inspected_.record(pivot_stream);
  runner_.merge_inverses(values_);
  if (concurrently) inspected_.make_wait(main);
}

/// Sets the panels of a stage := scale·A + shift·I.
template <class T>
void CudaExecutor<T>::assemble_stage(const Stage& stage, Real shift) {
  const cudaStream_t main = streams_.main();
  const FactorStructure& structure = *plan_->structure;
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemsetAsync(values_ + stage.first_value, 0, static_cast<std::size_t>(stage.values) * sizeof(T), main));
  for (const StageRange& range : stage.ranges) {
    const std::int64_t first = structure.assembly.offset[range.first];
    assemble<Number>(values_, tasks_.source + first, tasks_.target + first, structure.assembly.offset[range.last] - first,
                     check_finite_, status_, main);
    const NewIndex column = structure.symbolic.first_column[range.first];
    const std::int32_t columns = structure.symbolic.first_column[range.last] - column;
    const std::int64_t* const diagonal = tasks_.diagonal + column.value;
    if constexpr (is_complex) keep_real_diagonal<Number>(values_, diagonal, columns, order(), main);
    if (shift != Real(0)) shift_diagonal<Number>(values_, diagonal, columns, shift, main);
  }
}

/// Inspects the pivots of a stage and merges its inverses.
template <class T>
void CudaExecutor<T>::finish_stage(const Stage& stage) {
  const SymbolicFactor& factor = plan_->structure->symbolic;
  for (const StageRange& range : stage.ranges) {
    const NewIndex first = factor.first_column[range.first];
    inspect_pivots<Number>(values_, tasks_.diagonal, first.value, factor.first_column[range.last] - first, status_,
                           streams_.main());
  }
  runner_.merge_inverses(values_, stage.first_merge, stage.last_merge);
}

template <class T>
template <class Launched>
void CudaExecutor<T>::launch_levels(const Stage& stage, const Launched& launched) {
  for (auto level = static_cast<std::size_t>(stage.first_level); level < static_cast<std::size_t>(stage.last_level);
       ++level) {
    runner_.begin_level(level, values_);
    runner_.end_level(level, values_);
    launched(level);
  }
}

/// As launch_steps, for CudaPlan::stages.
template <class T>
void CudaExecutor<T>::launch_stages(Real shift, const ProgressCallback* report_progress) {
  const cudaStream_t main = streams_.main();
  const std::vector<Stage>& stages = plan_->stages->stages;
  const std::vector<Level>& levels = tasks_.levels();
  double flops = 0.0;
  for (const Level& level : levels) flops += level.flops;
  LevelProgress progress(flops, report_progress);
  const auto launched = [&](std::size_t level) {
    if (level + 1 < levels.size()) progress.level_launched(levels[level].flops, [&] { wait(); });
  };
  for (std::size_t k = 0; k < stages.size(); ++k) {
    for (const std::size_t opened : stages[k].opens) {
      staged_->await_place(opened, main);
      assemble_stage(stages[opened], shift);
    }
    launch_levels(stages[k], launched);
    if (static_cast<std::size_t>(stages[k].last_level) < levels.size())
      runner_.finish_products_before(static_cast<std::size_t>(stages[k].last_level));
    finish_stage(stages[k]);
    staged_->save(k, main);
  }
  staged_->await_copies(main);
  copy_status();
}

/// Launches everything after reset_status.
template <class T>
void CudaExecutor<T>::launch_steps(Real shift, const ProgressCallback* report_progress) {
  if (staged_) return launch_stages(shift, report_progress);
  const cudaStream_t main = streams_.main();
  assemble_panels(shift);
  if (columns_) {
    const LaunchMark mark(trace_.get(), "columns", main);
    columns_->factorize(values_, main);
    return copy_status();
  }
  const bool partly = report_progress != nullptr && blocks_;
  const double share =
      partly ? regime_flops(plan_->structure->symbolic, plan_->schedule).front() / plan_->structure->stored_flops : 1.0;
  const ProgressCallback levels_done = [&](double fraction) { (*report_progress)(fraction * share); };
  runner_.run(values_, report_progress != nullptr ? &levels_done : nullptr);
  if constexpr (!is_complex) {
    if (blocks_) blocks_->run(values_, trace_.get());
  }
  finish_factor();
  copy_status();
}

template <class T>
void CudaExecutor<T>::copy_status() {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemcpyAsync(host_status_.get(), status_, sizeof(DeviceStatus), cudaMemcpyDeviceToHost, streams_.main()));
}

/// Launches a factorization: as a graph from the second one on, otherwise launch by launch. The first is not recorded,
/// so a single factorization does not pay for a graph. Launch by launch too inside a caller's graph, with a trace or
/// progress, with library calls, with a shift, and if CUDA refuses the graph.
template <class T>
void CudaExecutor<T>::launch_factorization(const FactorInput<T>& input, const ProgressCallback* report_progress) {
  const cudaStream_t main = streams_.main();
  const ResetArguments arguments = reset_arguments(values_on_device(input), static_cast<double>(input.scale));
  scale_ = input.scale;
  shift_ = input.shift;
  const bool plain = captured_ || trace_ || report_progress != nullptr || blocks_ || shift_ != Real(0);
  if (!plain && factorized_ && !replay_.is_recorded() && !replay_.is_refused()) {
    replay_.record(main, arguments, [&] { launch_steps(Real(0), nullptr); });
  }
  if (plain || !replay_.is_recorded() || !replay_.launch(arguments, main)) {
    reset_status(arguments, main);
    launch_steps(shift_, report_progress);
  }
  if (staged_) staged_->set_factorized(main);
  factorized_ = factorized_ || !plain;
  status_known_.record(main);
  join();
}

template <class T>
FactorOutcome CudaExecutor<T>::outcome() {
  const DeviceGuard guard(device_);
  const RelaxedCapture others;
  // An event that was recorded into a graph cannot be waited for.
  GPUSUPERNODAL_CUDA_CHECK(captured_ ? synchronize_device() : cudaEventSynchronize(status_known_.get()));
  const DeviceStatus& status = *host_status_.get();
  FactorOutcome outcome;
  const bool any = std::bit_cast<double>(status.largest_pivot) > 0.0;
  outcome.smallest_pivot = any ? std::bit_cast<double>(status.smallest_pivot) : 0.0;
  outcome.largest_pivot = std::bit_cast<double>(status.largest_pivot);
  outcome.settled = !captured_;
  if (is_lu() || is_ldlt_) add_pivot_outcome(status, outcome);
  if (is_ldlt_ && !is_symmetric_) outcome.inertia = {order() - status.negative_pivots, status.negative_pivots, 0};
  if (status.bad_entry != no_entry) {
    outcome.status = Status::non_finite_input;
    outcome.failed_entry = status.bad_entry;
    outcome.failed_value = status.bad_value;
  } else if (status.failed_column != no_column) {
    outcome.status = is_lu() || is_ldlt_ ? Status::unstable : Status::not_positive_definite;
    outcome.failed_column = NewIndex(status.failed_column);
    outcome.failed_value = status.failed_pivot;
  }
  return outcome;
}

template <class T>
bool CudaExecutor<T>::outcome_known() const {
  const DeviceGuard guard(device_);
  if (captured_ || caller_captures()) return false;  // Querying an event would invalidate the caller's capture.
  const RelaxedCapture others;
  const cudaError_t code = cudaEventQuery(status_known_.get());
  if (code == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());  // Not an error: clears it so that the next launch's check does not report it.
    return false;
  }
  GPUSUPERNODAL_CUDA_CHECK(code);
  return true;
}

#define INSTANTIATE(T)                                                                 \
  template void CudaExecutor<T>::factorize(const FactorInput<T>&);                     \
  template FactorOutcome CudaExecutor<T>::outcome();                                   \
  template bool CudaExecutor<T>::outcome_known() const;                                \
  template const void* CudaExecutor<T>::values_on_device(const FactorInput<T>&);       \
  template ResetArguments CudaExecutor<T>::reset_arguments(const void*, double) const; \
  template void CudaExecutor<T>::assemble_panels(Real);                                \
  template void CudaExecutor<T>::finish_factor();                                      \
  template void CudaExecutor<T>::copy_status();
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
