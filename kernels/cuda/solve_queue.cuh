#pragma once

/// \file
/// How CTAs share the tasks of a sweep: each claims the first unclaimed task, waits until the task's inputs are
/// written, and increments a counter when it is done. Tasks wait only for earlier ones, so the first unfinished task
/// never waits. No assumption is made about how many CTAs run at once or in which order they begin.

#include <algorithm>
#include <type_traits>

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/delays.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {

inline constexpr int solve_threads = 32 * solve_warps;

/// Waits, in one thread, until a counter has reached `need`. Everything written before the counter was incremented is
/// then visible.
__device__ inline void await_counter(const int* counters, int counter, int need) {
  if (counter < 0 || need == 0) return;
  int value;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counters + counter) : "memory");
  } while (value < need);
}

/// Counts a task as done. Call it in one thread, after a barrier of all threads that wrote results.
__device__ inline void count_done(int* counters, int counter) {
  if (counter < 0) return;
  perhaps_delay(counter);
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(counters + counter) : "memory");
}

/// Counts a task as done and returns how many had counted before; their results are then visible.
__device__ inline int count_and_see(int* counters, int counter) {
  perhaps_delay(counter);
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counters + counter) : "memory");
  return before;
}

/// Waits for the inputs of a CTA's task, for both counters at the same time.
__device__ inline void await_inputs(const SolveSweep& sweep, const SolveTask& task) {
  if (threadIdx.x == 0) await_counter(sweep.counters, task.wait, task.need);
  if (threadIdx.x == 32) await_counter(sweep.counters, task.also, task.also_need);
  __syncthreads();
}

/// Waits for the inputs of a single warp's task.
__device__ inline void await_inputs_by_warp(const SolveSweep& sweep, const SolveTask& task) {
  if ((threadIdx.x & 31u) == 0) {
    await_counter(sweep.counters, task.wait, task.need);
    await_counter(sweep.counters, task.also, task.also_need);
  }
  __syncwarp();
}

/// Runs the warp tasks of a CTA task: each warp takes every solve_warps-th and counts them all after its last one,
/// which saves fences. by_warp may take the warp's next task as a second argument, to read ahead for it; without a next
/// task that is the same task again.
template <class ByWarp>
__device__ void run_warps(const SolveSweep& sweep, const SolveTask& group, ByWarp by_warp) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  int arrive = -1;  // Counter of the lane-th task.
  int index = static_cast<int>(threadIdx.x / 32u);
  if (index >= group.width) return;
  SolveTask task = sweep.warp_tasks[group.column + index];
  for (int round = 0; index < group.width; ++round) {
    index += solve_warps;
    const SolveTask next = index < group.width ? sweep.warp_tasks[group.column + index] : task;
    if constexpr (std::is_invocable_v<ByWarp, const SolveTask&, const SolveTask&>) {
      by_warp(task, next);
    } else {
      by_warp(task);
    }
    if (lane == round) arrive = task.arrive;
    task = next;
  }
  __syncwarp();
  count_done(sweep.counters, arrive);
}

inline constexpr int task_pieces = sizeof(SolveTask) / sizeof(int4);
static_assert(task_pieces * sizeof(int4) == sizeof(SolveTask));

/// Record of a claimed task in shared memory.
struct TakenTask {
  int4 record[task_pieces];
  int index;

  __device__ const SolveTask& task() const { return *reinterpret_cast<const SolveTask*>(record); }
};

/// Claims a CTA's next task once the current task's inputs are available, not earlier, so that waiting CTAs hold few
/// tasks. The record is copied while the CTA computes. A CTA's next task comes later in the list than its current one,
/// so some CTA always works on the first unfinished task.
class NextTask {
 public:
  __device__ NextTask(const SolveSweep& sweep, TakenTask& next) : sweep_(sweep), next_(next) {}

  /// Claims the task. Call it in all threads after await_inputs; the last warp does the work.
  __device__ void take() const {
    if (threadIdx.x < solve_threads - 32) return;
    const int lane = static_cast<int>(threadIdx.x & 31u);
    int index = 0;
    if (lane == 0) index = atomicAdd(sweep_.claim, 1);
    index = __shfl_sync(0xffffffffu, index, 0);
    if (lane == 0) next_.index = index;
    if (lane < task_pieces && index < sweep_.count) {
      copy_async<16>(next_.record + lane, reinterpret_cast<const int4*>(sweep_.tasks + index) + lane, true);
    }
  }
  /// Completes this thread's copies; the record can be read after a barrier.
  __device__ void finish() const {
    commit_copies();
    wait_for_copies<0>();
  }

 private:
  const SolveSweep& sweep_;
  TakenTask& next_;
};

/// Runs tasks until none is left: by_warp those of a CTA's warps, by_cta(task, next) those of the CTA.
template <class ByWarp, class ByCta>
__device__ void run_sweep(const SolveSweep& sweep, ByWarp by_warp, ByCta by_cta) {
  __shared__ TakenTask taken[2];
  let_next_launch_begin();
  await_launch_before();
  const NextTask first(sweep, taken[0]);
  first.take();
  first.finish();
  __syncthreads();
  for (int ordered_level = 0;; ordered_level ^= 1) {
    const int index = taken[ordered_level].index;
    if (index >= sweep.count) return;
    const SolveTask task = taken[ordered_level].task();
    perhaps_delay(index);
    const TraceScope traced(sweep.trace, sweep.work, task.first_column, static_cast<unsigned>(index));
    const NextTask next(sweep, taken[ordered_level ^ 1]);
    if (task.kind == SolveKind::warps) {
      next.take();
      run_warps(sweep, task, by_warp);
    } else {
      by_cta(task, next);
    }
    next.finish();
    __syncthreads();
    if (threadIdx.x == 0) count_done(sweep.counters, task.arrive);
  }
}

/// Launches a sweep on at most grid.ctas CTAs.
template <class T>
void launch_sweep(void (*kernel)(SolveData<T>), const SolveData<T>& data, const SolveGrid& grid, bool early,
                  cudaStream_t stream) {
  if (data.sweep.count == 0) return;
  const dim3 ctas(static_cast<unsigned>(std::min(grid.ctas, data.sweep.count)));
  launch_early(kernel, ctas, solve_threads, grid.shared_memory, early, stream, data);
}

/// Returns an attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Allows the kernel as much dynamic shared memory as lets two of its CTAs share a multiprocessor of the current
/// device, between `least` and `most` bytes, and leaves the rest to the L1 cache. Returns the bytes.
template <class T>
int allow_room(void (*kernel)(SolveData<T>), int least, int most) {
  cudaFuncAttributes attributes;
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const SharedMemoryLimits limits{shared_memory_limit(), device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                                  device_attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
  const int declared = static_cast<int>(attributes.sharedSizeBytes);
  const int shared_memory = memory_for_two_ctas(least, most, declared, limits);
  const int of_all = limits.of_multiprocessor;
  const int percent = std::min(100, (200 * (shared_memory + limits.reserved + declared) + of_all - 1) / of_all);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory));
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
  return shared_memory;
}

/// Returns how many CTAs of a sweep's kernel the current device runs at once with `shared_memory` bytes of dynamic
/// shared memory.
template <class T>
SolveGrid grid_of(void (*kernel)(SolveData<T>), int shared_memory) {
  SolveGrid grid;
  grid.shared_memory = shared_memory;
  int each = 0;
  GPUSUPERNODAL_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, solve_threads, static_cast<std::size_t>(shared_memory)));
  grid.ctas = device_attribute(cudaDevAttrMultiProcessorCount) * std::max(each, 1);
  return grid;
}

}  // namespace gpusupernodal::cuda
