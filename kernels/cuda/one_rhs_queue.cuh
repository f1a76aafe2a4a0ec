#pragma once

/// \file
/// How CTAs share the tasks of a sweep with one right-hand side: as in solve_queue.cuh, but tasks wait for the entries
/// that they read, without counters.

#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"
#include "kernels/cuda/team.cuh"

namespace gpusupernodal::cuda {

/// The last warp of a CTA claims its tasks and reads their records, because the first warps publish results.
inline constexpr int taking_thread = solve_threads - 32;

/// Distance at which records are prefetched into the L2 cache: about as many tasks as the CTAs claim at once.
inline constexpr int record_distance = 512;

/// The CTA's next task. Every kind of task calls take() and read() itself: a value that is live across all of them
/// would not stay in a register, and storing an atomic's result elsewhere means waiting for it.
class NextOneRhs {
 public:
  __device__ explicit NextOneRhs(const SolveSweep& sweep) : sweep_(sweep) {}

  __device__ int index() const { return shared().index[side_]; }
  __device__ const SolveTask& task() const { return *reinterpret_cast<const SolveTask*>(shared().record[side_]); }
  /// Switches to the other slot, into which the next task is read.
  __device__ void ordered_level() { side_ ^= 1; }

  /// Claims a task; only taking_thread gets its index.
  __device__ int claim() const { return threadIdx.x == taking_thread ? atomicAdd(sweep_.claim, 1) : 0; }
  /// Claims a task when the input vectors of the CTA, or of its last team, are available, not earlier, so that waiting
  /// CTAs hold few tasks. Contains a barrier of the team. Tasks wait only for earlier ones, so some CTA always works on
  /// the first unfinished task.
  template <class Team = Cta>
  __device__ int take() const {
    const int claimed = claim();
    Team::sync();
    return claimed;
  }
  /// Reads the record of the claimed task. A barrier must follow before task() and index() return it.
  __device__ void read(int claimed) const {
    const int lane = static_cast<int>(threadIdx.x) - taking_thread;
    if (lane < 0) return;
    const int index = __shfl_sync(all_lanes, claimed, 0);
    if (lane == 0) shared().index[side_] = index;
    if (index < sweep_.count && lane < task_pieces) {
      shared().record[side_][lane] = reinterpret_cast<const int4*>(sweep_.tasks + index)[lane];
    }
    const int later = index + record_distance;
    if (later < sweep_.count && lane == task_pieces) asm volatile("prefetch.global.L2 [%0];" ::"l"(sweep_.tasks + later));
  }

 private:
  struct Shared {
    int index[2];
    int4 record[2][task_pieces];
  };
  __device__ static Shared& shared() {
    __shared__ Shared of_cta;
    return of_cta;
  }

  const SolveSweep& sweep_;
  int side_ = 0;
};

/// Runs tasks until none is left. work(task, next) does one task and calls next.take() and next.read().
template <class Work>
__device__ void run_one_rhs(const SolveSweep& sweep, Work work) {
  NextOneRhs next(sweep);
  let_next_launch_begin();
  await_launch_before();
  next.read(next.claim());
  __syncthreads();
  for (;;) {
    const int index = next.index();
    if (index >= sweep.count) return;
    const SolveTask task = next.task();
    next.ordered_level();
    perhaps_delay(index);
    const TraceScope traced(sweep.trace, sweep.work, task.first_column, static_cast<unsigned>(index));
    work(task, next);
    __syncthreads();
  }
}

}  // namespace gpusupernodal::cuda
