#pragma once

/// \file
/// How CTAs share the tasks of a sweep with one right-hand side: as in solve_queue.cuh, but tasks know from the entries that
/// they read whether these are there, and none is counted.

#include "kernels/cuda/solve_parts.cuh"
#include "kernels/cuda/solve_queue.cuh"
#include "kernels/cuda/team.cuh"

namespace gpusupernodal::cuda {

/// The last warp of a CTA takes its tasks and reads their records: the first ones publish results.
inline constexpr int taking_thread = solve_threads - 32;

/// How far ahead records are brought into the second-level cache: about as many as CTAs take at once.
inline constexpr int record_distance = 512;

/// What a CTA takes next. Every kind of task calls take() and read() itself: a number that lives beside all of them has no
/// register, and to put an atomic's result elsewhere is to wait for it.
class NextOneRhs {
 public:
  __device__ explicit NextOneRhs(const SolveSweep& sweep) : sweep_(sweep) {}

  __device__ int index() const { return shared().index[side_]; }
  __device__ const SolveTask& task() const { return *reinterpret_cast<const SolveTask*>(shared().record[side_]); }
  /// What is read from now on is the one after that.
  __device__ void ordered_level() { side_ ^= 1; }

  /// Takes a task: returned to taking_thread.
  __device__ int claim() const { return threadIdx.x == taking_thread ? atomicAdd(sweep_.claim, 1) : 0; }
  /// The same when the vectors of a CTA, or of its last team, are there, no sooner, so that few wait for a CTA that waits. A
  /// barrier of the team lies in it. Tasks wait only for earlier ones, so the first unfinished one is always one that a CTA
  /// works on.
  template <class Team = Cta>
  __device__ int take() const {
    const int claimed = claim();
    Team::sync();
    return claimed;
  }
  /// Reads the record of the task taken; a barrier is needed before task() and index() are its.
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

/// Takes tasks until none is left. work(task, next) does one and calls next.take() and next.read().
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
