#pragma once

/// \file
/// A fixed order of additions: the tasks that add to a column take turns. Kernels exist with it and without, because it
/// costs registers.

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

/// Which task of its launch this CTA does. All threads must call it. The counter is zeroed by work before the first launch,
/// so that it is counted in only after that.
template <bool InOrder, class T>
__device__ int claim_task(const FactorData<T>& data) {
  if constexpr (InOrder) {
    __shared__ int claimed;
    await_launch_before();
    if (threadIdx.x == 0) claimed = atomicAdd(data.claims, 1);
    __syncthreads();
    return claimed;
  } else {
    return static_cast<int>(blockIdx.x);
  }
}

__device__ inline std::int32_t read_turn(const std::int32_t* ordered_level) {
  std::int32_t value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(ordered_level) : "memory");
  return value;
}

/// Waits until all tasks have added whose turn to add to the column that panel row j is comes before this task's. By a
/// thread a column, for others that meet it at a barrier.
template <class T>
__device__ void await_turn(const FactorData<T>& data, const PanelInfo& panel, int j) {
  const std::int64_t row = panel.rows + j - panel.width;
  const std::int32_t* const done = data.tasks_added + data.rows[row];
  const std::int32_t ordered_level = data.tasks_before_row[row];
  while (read_turn(done) < ordered_level) __nanosleep(40);
}

/// Says that this task has added to it. By a thread a column, after a barrier of all that added.
template <class T>
__device__ void end_turn(const FactorData<T>& data, const PanelInfo& panel, int j) {
  __threadfence();
  atomicAdd(data.tasks_added + data.rows[panel.rows + j - panel.width], 1);
}

}  // namespace gpusupernodal::cuda
