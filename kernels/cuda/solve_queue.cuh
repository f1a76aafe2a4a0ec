#pragma once

/// \file
/// How CTAs share the tasks of a sweep: each claims the first unclaimed task and waits until the task's inputs are
/// written. Several right-hand sides wait for counters, which tasks increment when they are done; one right-hand side
/// waits for the entries that a task reads (published.cuh). Tasks wait only for earlier ones, so the first unfinished
/// task never waits. No assumption is made about how many CTAs run at once or in which order they begin.

#include <type_traits>

#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/counters.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/solve_tasks.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {

/// Whether tasks of this type wait for a second counter.
template <class Task>
inline constexpr bool has_second_wait = std::is_base_of_v<SolveAlso, Task>;

/// Waits for the inputs of a team's task, for both counters at the same time.
template <class Team = Cta, class Task>
__device__ void await_inputs(const SolveSweep& sweep, const Task& task) {
  if (Team::thread() == 0) await_counter(sweep.counters, task.wait, task.need);
  if constexpr (has_second_wait<Task>) {
    static_assert(Team::warps > 1);
    if (Team::thread() == 32) await_counter(sweep.counters, task.also, task.also_need);
  }
  Team::sync();
}

/// Runs a group's tasks: each warp takes every solve_warps-th and counts them all after its last one, which saves
/// fences. run(task, next) may read ahead for the warp's next task; without a next task that is the same task again.
template <class Run>
__device__ void run_warps(const SolveSweep& sweep, const SolveGroup& group, Run run) {
  using Task = TaskOf<SolveKind::whole_by_warp>;
  const SolveTask* const tasks = sweep.warp_tasks + group.first;
  const int lane = static_cast<int>(threadIdx.x & 31u);
  int arrive = -1;  // Counter of the lane-th task.
  int index = static_cast<int>(threadIdx.x / 32u);
  if (index >= group.count) return;
  Task task(tasks[index]);
  for (int round = 0; index < group.count; ++round) {
    index += solve_warps;
    const Task next = index < group.count ? Task(tasks[index]) : task;
    run(task, next);
    if (lane == round) arrive = task.arrive;
    task = next;
  }
  __syncwarp();
  count_done(sweep.counters, arrive);
}

inline constexpr int task_pieces = sizeof(SolveTask) / sizeof(int4);
static_assert(task_pieces * sizeof(int4) == sizeof(SolveTask));

/// The last warp of a CTA claims its tasks and reads their records, because the first warps publish results.
inline constexpr int claiming_thread = solve_threads - 32;

/// Distance at which records are prefetched into the L2 cache: about as many tasks as the CTAs claim at once.
inline constexpr int record_distance = 512;

/// A CTA's next task. The CTA claims it once the inputs of its current task are available, not earlier, so that waiting
/// CTAs hold few tasks. It comes later in the list than the current one, so some CTA always works on the first unfinished
/// task. Every kind of task claims and reads its next task itself: a value that is live across all kinds would not stay
/// in a register, and storing an atomic's result elsewhere means waiting for it.
class NextTask {
 public:
  __device__ explicit NextTask(const SolveSweep& sweep) : sweep_(sweep) {}

  __device__ int index() const { return shared().index[side_]; }
  __device__ const SolveTask& task() const { return *reinterpret_cast<const SolveTask*>(shared().record[side_]); }
  /// Switches to the other slot, into which the next task is read.
  __device__ void flip() { side_ ^= 1; }

  /// Claims a task; only claiming_thread gets its index.
  __device__ int claim() const { return threadIdx.x == claiming_thread ? atomicAdd(sweep_.claim, 1) : 0; }
  /// Claims a task after a barrier of the team that runs the current one.
  template <class Team>
  __device__ int claim_after() const {
    const int claimed = claim();
    Team::sync();
    return claimed;
  }
  /// Reads the record of the claimed task. A barrier must follow before task() and index() return it.
  __device__ void read(int claimed) const {
    if (lane() < 0) return;
    const int later = store(claimed, [](int4* to, const int4* from) { *to = *from; }) + record_distance;
    if (later < sweep_.count && lane() == task_pieces) asm volatile("prefetch.global.L2 [%0];" ::"l"(sweep_.tasks + later));
  }
  /// Claims a task and starts to copy its record, which takes place while the CTA computes. finish() and a barrier must
  /// follow before task() and index() return it.
  __device__ void fetch() const {
    if (lane() >= 0) store(claim(), [](int4* to, const int4* from) { copy_async<16>(to, from, true); });
  }
  /// Completes this thread's copies.
  __device__ void finish() const {
    commit_copies();
    wait_for_copies<0>();
  }

 private:
  struct Shared {
    int index[2];
    int4 record[2][task_pieces];
  };
  __device__ static Shared& shared() {
    __shared__ Shared cta_state;
    return cta_state;
  }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) - claiming_thread; }

  /// Stores the index of the claimed task and calls copy(to, from) for the pieces of its record, one per lane of the last
  /// warp. Returns the index.
  template <class Copy>
  __device__ int store(int claimed, Copy copy) const {
    const int index = __shfl_sync(0xffffffffu, claimed, 0);
    if (lane() == 0) shared().index[side_] = index;
    if (index < sweep_.count && lane() < task_pieces) {
      copy(&shared().record[side_][lane()], reinterpret_cast<const int4*>(sweep_.tasks + index) + lane());
    }
    return index;
  }

  const SolveSweep& sweep_;
  int side_ = 0;
};

/// How tasks of a sweep wait for each other: for counters that tasks increment when they are done, or for the entries
/// that they read.
enum class WaitFor { counters, entries };

/// Runs tasks until none is left: run(task, next) does one task and claims and reads the next, by fetch() if tasks wait
/// for counters, otherwise by read().
template <WaitFor wait_for, class Kinds, class Run>
__device__ void run_sweep(const SolveSweep& sweep, Run run) {
  NextTask next(sweep);
  let_next_launch_begin();
  await_launch_before();
  next.read(next.claim());
  __syncthreads();
  for (;;) {
    const int index = next.index();
    if (index >= sweep.count) return;
    const SolveTask task = next.task();
    next.flip();
    perhaps_delay(index);
    const TraceScope traced(sweep.trace, sweep.work, task.first_column, static_cast<unsigned>(index));
    run_as_kind(task, Kinds(), [&](const auto& of_kind) { run(of_kind, next); });
    if constexpr (wait_for == WaitFor::counters) next.finish();
    __syncthreads();
    if constexpr (wait_for == WaitFor::counters) {
      if (threadIdx.x == 0) count_done(sweep.counters, task.arrive);
    }
  }
}

}  // namespace gpusupernodal::cuda
