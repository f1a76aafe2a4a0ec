#pragma once

/// \file
/// Fixed order of additions: tasks add to a column one after another. Kernels exist with and without it, because it
/// costs registers.

#include "kernels/cuda/counters.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/factor_kernels.hpp"

namespace gpusupernodal::cuda {

/// Returns the index of the task that this CTA runs. All threads must call it. It waits for earlier launches before it
/// counts, because work before the first launch zeroes the counter.
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

/// Waits until all tasks that precede this one at the column of panel row j have added to it. Call it in one thread per
/// column, before a barrier with the threads that add.
template <class T>
__device__ void await_predecessors(const FactorData<T>& data, const PanelInfo& panel, int j) {
  const std::int64_t row = panel.rows + j - panel.width;
  const std::int32_t* const done = data.tasks_added + data.rows[row];
  const std::int32_t before = data.tasks_before_row[row];
  while (read_counter(done) < before) __nanosleep(40);
}

/// Records that this task has added to the column of panel row j. Call it in one thread per column, after a barrier
/// with all threads that added.
template <class T>
__device__ void record_addition(const FactorData<T>& data, const PanelInfo& panel, int j) {
  __threadfence();
  atomicAdd(data.tasks_added + data.rows[panel.rows + j - panel.width], 1);
}

}  // namespace gpusupernodal::cuda
