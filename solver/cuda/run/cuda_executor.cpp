#include "solver/cuda/run/cuda_executor.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "gpusupernodal/built_with.hpp"
#include "kernels/common/accepted_pivot.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "kernels/cuda/vector_kernels.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/plan/memory.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

MemoryRequest request_of(const ExecutorOptions& options, ScalarType scalar) {
  MemoryRequest request;
  request.scalar = scalar;
  request.keep_a = options.keep_a;
  request.ldlt = options.ldlt;
  return request;
}

/// Returns the caller's allocator, or one that uses cudaMalloc after checking that enough memory is free.
std::shared_ptr<Allocator> allocator_for(const CudaPlan& plan, const ExecutorOptions& options, int device,
                                         ScalarType scalar) {
  if (options.allocator) return options.allocator;
  require_free_memory(plan.memory(request_of(options, scalar)).total());
  return make_device_allocator(device);
}

/// Throws BackendUnavailable if a block of threads of the current device has less shared memory than `what` needs.
void require_shared_memory(const char* what, const SharedMemory& needed) {
  const int limit = shared_memory_limit();
  if (needed.fits(limit)) return;
  fail<BackendUnavailable>(
      "{} needs {} bytes of shared memory in a block of threads, but the device has {}; use the host backend", what,
      needed.dynamic_bytes + needed.static_bytes, limit);
}

}  // namespace

template <class T>
void require_kernels_for(const CudaPlan& plan) {
  using Number = DeviceScalar<T>;
  if constexpr (ScalarTraits<T>::is_complex) {
    require_shared_memory("a complex matrix", most_complex_memory<Number>());
    if (plan.columns)
      fail<BackendUnavailable>("LU by columns of complex matrices runs on the host only; set lu_schedule to supernodes");
  }
  if (plan.structure->general && !plan.columns) require_shared_memory("LU", lu_diagonal_memory<Number>());
}

template <class T>
CudaExecutor<T>::CudaExecutor(std::shared_ptr<const CudaPlan> plan, const ExecutorOptions& options, int device)
    : plan_(std::move(plan)),
      device_(device),
      on_device_(device),
      name_(describe_device(device)),
      allocator_(allocator_for(*plan_, options, device, scalar_type_of<T>)),
      check_finite_(options.check_finite),
      keep_a_(options.keep_a),
      is_ldlt_(options.ldlt),
      is_symmetric_(options.symmetric),
      perturbation_(options.perturbation > 0.0 ? options.perturbation
                                               : std::sqrt(static_cast<double>(std::numeric_limits<Real>::epsilon()))),
      early_launches_(solves_can_begin_early<Number>()),
      grids_(solve_grids<Number>()),
      tasks_(*plan_, {request_of(options, scalar_type_of<T>), worker_count(options.threads), is_hermitian()}, allocator_),
      value_slab_(allocator_, cuda_memory(*plan_, request_of(options, scalar_type_of<T>)).factor, "the values of L"),
      work_slab_(allocator_, cuda_factor_workspace(*plan_, request_of(options, scalar_type_of<T>)),
                 "the workspace of a factorization"),
      streams_(plan_->options.streams),
      runner_(tasks_, streams_, early_launches_),
      vectors_(make_vectors(1)),
      trace_(options.trace ? std::make_unique<DeviceTrace>(*plan_, allocator_) : nullptr) {
  prepare_value_kernels<Number>();
  prepare_vector_kernels<Number>();
  prepare_inverse_merges<Number>(is_hermitian());
  if (keep_a_) prepare_refinement<Number>();
  if constexpr (!is_complex) {
    if (plan_->options.schedule == CudaSchedule::streams)
      blocks_ = std::make_unique<BlockRunner<T>>(*plan_, tasks_, streams_, allocator_);
  }
  runner_.set_trace(trace_.get());
  values_ = value_slab_.template take<Number>(cuda_value_count(*plan_));
  if (plan_->stages) staged_ = std::make_unique<StagedPanels<Number>>(*plan_->stages, values_);
  a_ = work_slab_.template take<Number>(plan_->structure->assembly.entries_of_a);
  status_ = work_slab_.template take<DeviceStatus>(1);
  counters_ = work_slab_.template take<int>(cuda_solve_counters(*plan_));
  if (is_lu()) {
    norms_ = work_slab_.template take<double>(norms_per_column * cuda_residual_columns);
  } else if (keep_a_) {
    residual_work_ = work_slab_.template take<double>(cuda_residual_doubles(scalar_type_of<T>) * std::int64_t{order()});
    norms_ = work_slab_.template take<double>(norms_per_column * (is_ldlt_ ? cuda_residual_columns : 1));
  }
  if (is_lu()) prepare_lu();
  if (is_ldlt_) prepare_ldlt();
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemsetAsync(values_, 0, static_cast<std::size_t>(cuda_value_count(*plan_)) * sizeof(T), streams_.main()));
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(tasks_.panel_counters, 0,
                                           static_cast<std::size_t>(cuda_panel_counters(*plan_)) * sizeof(std::int32_t),
                                           streams_.main()));
  reset_status({status_, nullptr, 1.0}, streams_.main());
  wait();  // Waits for this executor's streams only: other threads may be recording graphs on streams of the same device.
}

template <class T>
void CudaExecutor<T>::prepare_lu() {
  scales_.start_row = tasks_.start_row;
  scales_.start_column = tasks_.start_column;
  scales_.sweeps = static_cast<std::int32_t>(cuda_scaling_sweeps(*plan_));
  scales_.largest = work_slab_.template take<std::int32_t>(cuda_scaling_sweeps(*plan_) * 2 * order());
  scales_.row = work_slab_.template take<Real>(order());
  scales_.column = work_slab_.template take<Real>(order());
  scales_.n = order();
  if (plan_->columns) {
    if constexpr (!is_complex) columns_ = make_column_runner<T>(*plan_, tasks_, status_, perturbation_);
  } else {
    LuData<Number> lu;
    lu.partner = partner();
    lu.status = status_;
    lu.perturbation = perturbation_;
    runner_.take_lu(lu);
  }
  if constexpr (built_with(Form::lu)) prepare_lu_values<Number>();  // An explicit instantiation has this function, too.
  prepare_lu_vectors<Number>();
  prepare_general_residual<Number>();
}

template <class T>
void CudaExecutor<T>::prepare_ldlt() {
  ldlt_scales_.sweeps = static_cast<std::int32_t>(cuda_scaling_sweeps(*plan_));
  ldlt_scales_.exponent = work_slab_.template take<std::int32_t>(scaling_words(order(), cuda_scaling_sweeps(*plan_)));
  ldlt_scales_.scale = work_slab_.template take<Real>(order());
  ldlt_scales_.n = order();
  pivots_ = work_slab_.template take<Number>(order());
  LdltData<Number> ldlt;
  ldlt.pivots = pivots_;
  ldlt.status = status_;
  ldlt.perturbation = perturbation_;
  if constexpr (is_complex) ldlt.is_symmetric = is_symmetric_;
  runner_.take_ldlt(ldlt);
  prepare_general_residual<Number>();
  if constexpr (built_with(Form::ldlt)) prepare_ldlt_values<Number>();
  prepare_lu_vectors<Number>();
}

/// Waits for all kernels before memory is freed, also on side streams, which a failed call may not have joined. A graph
/// of the caller may run on any stream.
template <class T>
CudaExecutor<T>::~CudaExecutor() {
  on_device_.enter();
  for (const Stream& stream : streams_.all()) static_cast<void>(cudaStreamSynchronize(stream.get()));
  if (staged_) static_cast<void>(cudaStreamSynchronize(staged_->stream()));
  if (in_graph_) static_cast<void>(synchronize_device());
}

template <class T>
void CudaExecutor<T>::fork() const {
  // Drops an error that the caller left unread: our launches are checked by the last error.
  static_cast<void>(cudaGetLastError());
  fork_.record(caller_);
  fork_.make_wait(streams_.main());
}

template <class T>
void CudaExecutor<T>::join() const {
  join_.record(streams_.main());
  join_.make_wait(caller_);
}

template <class T>
void CudaExecutor<T>::wait() const {
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(streams_.main()));
}

template <class T>
void CudaExecutor<T>::wait_after_failure() const noexcept {
  if (caller_captures()) return;  // Nothing runs, and waiting would invalidate the caller's graph.
  for (const Stream& stream : streams_.all()) static_cast<void>(cudaStreamSynchronize(stream.get()));
  if (staged_) static_cast<void>(cudaStreamSynchronize(staged_->stream()));
  static_cast<void>(cudaGetLastError());
}

template <class T>
const Trace* CudaExecutor<T>::trace() {
  const DeviceGuard guard(device_);
  return trace_ ? &trace_->collect() : nullptr;
}

#define INSTANTIATE(T)            \
  template class CudaExecutor<T>; \
  template void require_kernels_for<T>(const CudaPlan&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cuda

template <class T>
std::unique_ptr<Executor<T>> make_cuda_executor(std::shared_ptr<const CudaPlan> plan, const ExecutorOptions& options) {
  const int device = cuda::choose_device(options.device);
  if (!plan->solve.fits && plan->columns) {
    fail<BackendUnavailable>(
        "a matrix of order {} has too many rows for LU by columns on the CUDA backend, whose solves have two steps for each "
        "row and support at most 2147483647; use the host backend",
        plan->structure->symbolic.order());
  }
  if (!plan->solve.fits) {
    fail<BackendUnavailable>(
        "the supernodes have {} rows below their diagonal blocks in total, but the CUDA backend supports at most "
        "2147483647; use the host backend",
        plan->structure->symbolic.rows.size());
  }
  const cuda::DeviceGuard guard(device);
  cuda::require_kernels_for<T>(*plan);
  // Drops an error that the caller left unread: our launches are checked by the last error.
  static_cast<void>(cudaGetLastError());
  return std::make_unique<cuda::CudaExecutor<T>>(std::move(plan), options, device);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<Executor<T>> make_cuda_executor(std::shared_ptr<const CudaPlan>, const ExecutorOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
