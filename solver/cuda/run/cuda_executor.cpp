#include "solver/cuda/run/cuda_executor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusupernodal/built_with.hpp"
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

/// Throws BackendUnavailable if the current device cannot hold a diagonal block of LU.
template <class T>
void require_memory_of_lu() {
  const int needed = lu_diagonal_memory<T>().dynamic_bytes + lu_diagonal_memory<T>().static_bytes;
  const int limit = shared_memory_limit();
  if (needed > limit) {
    fail<BackendUnavailable>(
        "LU needs {} bytes of shared memory in a block of threads, but the device has {}; use the host backend", needed,
        limit);
  }
}

}  // namespace

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
      perturbation_(options.perturbation > 0.0 ? options.perturbation
                                               : std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()))),
      early_launches_(solves_can_begin_early<T>()),
      grids_(solve_grids<T>()),
      tasks_(*plan_, {request_of(options, scalar_type_of<T>), worker_count(options.threads)}, allocator_),
      value_slab_(allocator_, cuda_memory(*plan_, request_of(options, scalar_type_of<T>)).factor, "the values of L"),
      work_slab_(allocator_, cuda_factor_workspace(*plan_, request_of(options, scalar_type_of<T>)),
                 "the workspace of a factorization"),
      streams_(plan_->options.streams),
      runner_(tasks_, streams_, early_launches_),
      vectors_(make_vectors(1)),
      trace_(options.trace ? std::make_unique<DeviceTrace>(*plan_, allocator_) : nullptr) {
  prepare_value_kernels<T>();
  prepare_vector_kernels<T>();
  prepare_inverse_merges<T>();
  if (keep_a_) prepare_refinement<T>();
  if (plan_->options.schedule == CudaSchedule::streams) {
    blocks_ = std::make_unique<BlockRunner<T>>(*plan_, tasks_, streams_, allocator_);
  }
  runner_.set_trace(trace_.get());
  values_ = value_slab_.template take<T>(cuda_value_count(*plan_));
  a_ = work_slab_.template take<T>(plan_->structure->assembly.entries_of_a);
  status_ = work_slab_.template take<DeviceStatus>(1);
  counters_ = work_slab_.template take<int>(cuda_solve_counters(*plan_));
  if (is_lu()) {
    norms_ = work_slab_.template take<double>(norms_per_column * cuda_residual_columns);
  } else if (keep_a_) {
    residual_work_ = work_slab_.template take<double>(2 * std::int64_t{order()});
    norms_ = work_slab_.template take<double>(norms_per_column * (is_ldlt_ ? cuda_residual_columns : 1));
  }
  if (is_lu()) prepare_lu();
  if (is_ldlt_) prepare_ldlt();
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemsetAsync(values_, 0, static_cast<std::size_t>(cuda_value_count(*plan_)) * sizeof(T), streams_.main()));
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(
      tasks_.readers, 0, static_cast<std::size_t>(plan_->structure->symbolic.supernodes()) * sizeof(std::int32_t),
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
  scales_.row = work_slab_.template take<T>(order());
  scales_.column = work_slab_.template take<T>(order());
  scales_.n = order();
  if (plan_->columns) {
    columns_ = make_column_runner<T>(*plan_, tasks_, status_, perturbation_);
  } else {
    LuData<T> lu;
    lu.partner = partner();
    lu.status = status_;
    lu.perturbation = perturbation_;
    runner_.take_lu(lu);
  }
  if constexpr (built_with(Form::lu)) prepare_lu_values<T>();  // An explicit instantiation has this function, too.
  prepare_lu_vectors<T>();
  prepare_general_residual<T>();
}

template <class T>
void CudaExecutor<T>::prepare_ldlt() {
  ldlt_scales_.sweeps = static_cast<std::int32_t>(cuda_scaling_sweeps(*plan_));
  ldlt_scales_.exponent = work_slab_.template take<std::int32_t>(scaling_words(order(), cuda_scaling_sweeps(*plan_)));
  ldlt_scales_.scale = work_slab_.template take<T>(order());
  ldlt_scales_.n = order();
  pivots_ = work_slab_.template take<T>(order());
  LdltData<T> ldlt;
  ldlt.pivots = pivots_;
  ldlt.status = status_;
  ldlt.perturbation = perturbation_;
  runner_.take_ldlt(ldlt);
  prepare_general_residual<T>();
  if constexpr (built_with(Form::ldlt)) prepare_ldlt_values<T>();
  prepare_lu_vectors<T>();
}

/// Waits for all kernels before memory is freed, also on side streams, which a failed call may not have joined. A graph
/// of the caller may run on any stream.
template <class T>
CudaExecutor<T>::~CudaExecutor() {
  on_device_.enter();
  for (const Stream& stream : streams_.all()) static_cast<void>(cudaStreamSynchronize(stream.get()));
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
  static_cast<void>(cudaGetLastError());
}

template <class T>
const Trace* CudaExecutor<T>::trace() {
  const DeviceGuard guard(device_);
  return trace_ ? &trace_->collect() : nullptr;
}

template <class T>
void CudaExecutor<T>::copy_panels(Span<T> host) {
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), values_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
}

template <class T>
void CudaExecutor<T>::copy_diagonal(Span<T> host) {
  forked([&] {
    gather_diagonal<T>(values_ + partner(), tasks_.diagonal, order(), vectors_.staging, streams_.main());
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), vectors_.staging, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    if (!is_lu()) return;
    std::vector<T> scales(2 * host.size());
    const std::size_t bytes = host.size() * sizeof(T);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(scales.data(), scales_.row, bytes, cudaMemcpyDeviceToHost));
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(scales.data() + host.size(), scales_.column, bytes, cudaMemcpyDeviceToHost));
    for (std::size_t k = 0; k < host.size(); ++k) {
      const double unscaled =
          static_cast<double>(host[k]) / static_cast<double>(scales[k]) / static_cast<double>(scales[host.size() + k]);
      host[k] = static_cast<T>(unscaled);
    }
  });
}

template <class T>
void CudaExecutor<T>::copy_values(Span<T> host) {
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), a_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
}

/// Copies the pivots that the last factorization found to the host.
template <class T>
std::vector<T> CudaExecutor<T>::found_pivots() {
  std::vector<T> pivots(static_cast<std::size_t>(order()));
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(pivots.data(), pivots_, pivots.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
  return pivots;
}

/// The magnitude that pivots have at least, as smallest_pivot() on the device.
template <class T>
T CudaExecutor<T>::smallest_allowed() {
  const double largest = outcome().largest_in_a;
  return std::max(static_cast<T>(perturbation_ * (largest > 0.0 ? largest : 1.0)), std::numeric_limits<T>::min());
}

template <class T>
void CudaExecutor<T>::copy_pivots(Span<T> diagonal, Span<T> beside) {
  const std::vector<T> pivots = found_pivots();
  const T smallest = smallest_allowed();
  std::vector<T> scales(pivots.size());
  forked([&] {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpy(scales.data(), ldlt_scales_.scale, scales.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    diagonal[k] = std::copysign(std::max(std::abs(pivots[k]), smallest), pivots[k]) / scales[k] / scales[k];
    beside[k] = T(0);
  }
}

template <class T>
std::vector<SmallPivot> CudaExecutor<T>::small_pivots(double magnitude) {
  const std::vector<T> pivots = found_pivots();
  const T smallest = smallest_allowed();
  std::vector<SmallPivot> result;
  for (std::int32_t k = 0; k < order(); ++k) {
    const T pivot = pivots[static_cast<std::size_t>(k)];
    if (std::abs(pivot) < smallest && static_cast<double>(std::abs(pivot)) <= magnitude)
      result.push_back({NewIndex(k), std::signbit(pivot)});
  }
  return result;
}

#define INSTANTIATE(T) template class CudaExecutor<T>;
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
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
        "2147483647; use "
        "the host backend",
        plan->structure->symbolic.rows.size());
  }
  const cuda::DeviceGuard guard(device);
  if constexpr (built_with(Form::lu)) {
    if (plan->structure->general && !plan->columns) cuda::require_memory_of_lu<T>();
  }
  // Drops an error that the caller left unread: our launches are checked by the last error.
  static_cast<void>(cudaGetLastError());
  return std::make_unique<cuda::CudaExecutor<T>>(std::move(plan), options, device);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<Executor<T>> make_cuda_executor(std::shared_ptr<const CudaPlan>, const ExecutorOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
