#pragma once

/// \file
/// How CTAs share the tasks of a sweep with one right-hand side: as in solve_queue.cuh, but tasks know from the entries that
/// they read whether these are there, and none is counted.

#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"

namespace gpusupernodal::cuda {

/// The last warp of a CTA takes its tasks and reads their records: the first ones publish results.
inline constexpr int taking_thread = solve_threads - 32;

/// When a CTA's vectors are there, no sooner, so that few wait for a CTA that waits, it takes a further task: returned to
/// taking_thread. A barrier lies in it. Tasks wait only for earlier ones, so the first unfinished one is always one that a
/// CTA works on.
__device__ inline int take_next(const SolveSweep& sweep) {
  int claimed = 0;
  if (threadIdx.x == taking_thread) claimed = atomicAdd(sweep.claim, 1);
  __syncthreads();
  return claimed;
}

/// How far ahead records are brought into the second-level cache: about as many as CTAs take at once.
inline constexpr int record_distance = 512;

/// Takes tasks until none is left. by_warps(group) does those of a CTA's warps, by_cta(task) one of the CTA's and returns
/// what take_next did. The next record is read while the last sums of the present task are made.
template <class ByWarps, class ByCta>
__device__ void run_single(const SolveSweep& sweep, ByWarps by_warps, ByCta by_cta) {
  __shared__ int next[2];
  __shared__ int4 records[2][task_pieces];
  const int lane = static_cast<int>(threadIdx.x) - taking_thread;
  const auto read_next = [&](int claimed, int side) {
    if (lane < 0) return;
    const int index = __shfl_sync(all_lanes, claimed, 0);
    if (lane == 0) next[side] = index;
    if (index < sweep.count && lane < task_pieces) {
      records[side][lane] = reinterpret_cast<const int4*>(sweep.tasks + index)[lane];
    }
    const int later = index + record_distance;
    if (later < sweep.count && lane == task_pieces) asm volatile("prefetch.global.L2 [%0];" ::"l"(sweep.tasks + later));
  };
  let_next_launch_begin();
  await_launch_before();
  read_next(lane == 0 ? atomicAdd(sweep.claim, 1) : 0, 0);
  __syncthreads();
  for (int side = 0;; side ^= 1) {
    const int index = next[side];
    if (index >= sweep.count) return;
    const SolveTask task = *reinterpret_cast<const SolveTask*>(records[side]);
    perhaps_delay(index);
    const TraceScope traced(sweep.trace, sweep.work, task.first_column, static_cast<unsigned>(index));
    int claimed = 0;
    if (task.kind == SolveKind::warps) {
      if (lane == 0) claimed = atomicAdd(sweep.claim, 1);
      by_warps(task);
      __syncwarp();
    } else {
      claimed = by_cta(task);
    }
    read_next(claimed, side ^ 1);
    __syncthreads();
  }
}

}  // namespace gpusupernodal::cuda
