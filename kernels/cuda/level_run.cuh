#pragma once

/// \file
/// How CTAs share the fronts of a run of levels. A CTA claims the first unclaimed group, and each of its fronts waits until
/// all children of the front are done. Groups are claimed in an order in which fronts come after their children, so the
/// first unfinished front never waits. Fronts of one group do not wait for each other. No assumption is made about how many
/// CTAs run at once or in which order they begin.
///
/// Counters return to 0: a front zeroes its own after its children, and the last CTA to find no group zeroes the claims.

#include "kernels/cuda/counters.cuh"
#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/level_run_kernels.hpp"
#include "kernels/cuda/shared_memory.hpp"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {

/// CTAs of a launch at most: about as many as a large device runs at once. Others would find nothing to do.
inline constexpr int run_ctas = static_cast<int>(ctas_at_once);

/// Returns the next group. Call it in one thread of each CTA until it returns `count` or more, and then not again.
__device__ inline int claim_group(const LevelRun& run) {
  const int claimed = atomicAdd(run.claims, 1);
  if (claimed == run.count + static_cast<int>(gridDim.x) - 1) *run.claims = 0;
  return claimed;
}

/// Waits, in one thread, until the children of a front are done. Their updates are then visible.
__device__ inline void await_children(const LevelRun& run, const RunFront& front) {
  perhaps_delay(front.task.panel);
  if (front.children == 0) return;
  await_counter(run.counters, front.task.panel, front.children);
  run.counters[front.task.panel] = 0;
}

/// How a front of a run depends on others: it waits for its children, and its parent waits for it.
template <class Team>
class AmongFronts {
 public:
  __device__ AmongFronts(const LevelRun& run, const RunFront& front) : run_(run), front_(front) {}
  __device__ void await_values() const {
    if (Team::thread() == 0) await_children(run_, front_);
    Team::sync();
  }
  __device__ void updated() const {
    Team::sync();
    if (Team::thread() == 0) count_done(run_.counters, front_.parent);
  }

 private:
  const LevelRun& run_;
  const RunFront& front_;
};

/// Runs groups until none is left: narrow(team, task, gate) factorizes a front by a warp or a CTA, small(task, gate) by a
/// CTA. `Warps`: warps for which shared memory has space; each takes fronts of a group in turn, which do not wait for each
/// other.
template <int Warps, class Narrow, class Small>
__device__ void run_levels(const LevelRun& run, TraceBuffer* trace, Narrow narrow, Small small) {
  __shared__ int claimed[2];  // In turns: a warp may still read one when the first warp has claimed the next.
  await_launch_before();
  let_next_launch_begin();
  for (int side = 0;; side ^= 1) {
    if (threadIdx.x == 0) claimed[side] = claim_group(run);
    __syncthreads();  // Shared memory of the fronts before is free now.
    const int index = claimed[side];
    if (index >= run.count) return;
    const RunGroup group = run.groups[index];
    const TraceScope traced(trace, TracedWork::front, run.fronts[group.first].task.panel, static_cast<unsigned>(index));
    if (group.narrow <= 1) {
      const RunFront front = run.fronts[group.first];
      const AmongFronts<Cta> gate(run, front);
      if (group.narrow == 0) {
        small(front.task, gate);
      } else {
        narrow(Cta(), front.task, gate);
      }
      continue;
    }
    for (int own = OneWarp::index(); own < group.narrow && OneWarp::index() < Warps; own += Warps) {
      const RunFront front = run.fronts[group.first + own];
      narrow(OneWarp(), front.task, AmongFronts<OneWarp>(run, front));
      __syncwarp();
    }
  }
}

}  // namespace gpusupernodal::cuda
