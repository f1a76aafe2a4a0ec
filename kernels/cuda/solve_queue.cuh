#pragma once

/// \file
/// How CTAs share the tasks of a sweep: each takes the first that nobody has taken, waits until what it reads was written,
/// and counts itself when it is done. Tasks wait only for earlier ones, so the first unfinished task never waits, whatever
/// CTAs the device runs at once: no assumption of how many, or in which order they begin.

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

/// Waits, in one thread, until a counter has reached `need`: what was written before it was counted can then be read.
__device__ inline void await_counter(const int* counters, int counter, int need) {
  if (counter < 0 || need == 0) return;
  int value;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counters + counter) : "memory");
  } while (value < need);
}

/// Counts a task, in a thread after a barrier of all that wrote.
__device__ inline void count_done(int* counters, int counter) {
  if (counter < 0) return;
  perhaps_delay(counter);
  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(counters + counter) : "memory");
}

/// The same, and how often others had counted before: what they wrote can then be read.
__device__ inline int count_and_see(int* counters, int counter) {
  perhaps_delay(counter);
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counters + counter) : "memory");
  return before;
}

/// A CTA waits for what `task` reads, for both counters at the same time.
__device__ inline void await_inputs(const SolveSweep& sweep, const SolveTask& task) {
  if (threadIdx.x == 0) await_counter(sweep.counters, task.wait, task.need);
  if (threadIdx.x == 32) await_counter(sweep.counters, task.also, task.also_need);
  __syncthreads();
}

/// The same for a warp that has a task of its own.
__device__ inline void await_inputs_by_warp(const SolveSweep& sweep, const SolveTask& task) {
  if ((threadIdx.x & 31u) == 0) {
    await_counter(sweep.counters, task.wait, task.need);
    await_counter(sweep.counters, task.also, task.also_need);
  }
  __syncwarp();
}

/// The tasks of a CTA's warps: each takes every solve_warps-th, and counts them together when its last is done, for one
/// fence. by_warp may also take the warp's next task (or, if there is none, the same again), to read ahead for it.
template <class ByWarp>
__device__ void run_warps(const SolveSweep& sweep, const SolveTask& group, ByWarp by_warp) {
  const int lane = static_cast<int>(threadIdx.x & 31u);
  int arrive = -1;  // Of the lane-th task.
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

/// A task that a CTA has taken, in shared memory.
struct TakenTask {
  int4 record[task_pieces];
  int index;

  __device__ const SolveTask& task() const { return *reinterpret_cast<const SolveTask*>(record); }
};

/// Takes a CTA's next task when it has what the present one reads, no sooner, so that few wait for a CTA that waits. The
/// record is on its way while the CTA multiplies. What a CTA takes comes later in the list than what it has, so the first
/// unfinished task is always one that a CTA works on.
class NextTask {
 public:
  __device__ NextTask(const SolveSweep& sweep, TakenTask& next) : sweep_(sweep), next_(next) {}

  /// After await_inputs, by all threads: the last warp does it.
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
  /// Of this thread: the record is there after a barrier.
  __device__ void finish() const {
    commit_copies();
    wait_for_copies<0>();
  }

 private:
  const SolveSweep& sweep_;
  TakenTask& next_;
};

/// Takes tasks until none is left. by_warp does those of a CTA's warps, by_cta(task, next) one of the CTA's.
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

/// An attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// The dynamic shared memory with which two CTAs of a kernel fit on a multiprocessor of the current device, but at least
/// `least` bytes and at most `most`; lets the kernel use it, and leaves the rest to the first-level cache.
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

/// CTAs of a sweep's kernel with `room` bytes of dynamic shared memory that the current device runs at once.
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
