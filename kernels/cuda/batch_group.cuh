#pragma once

/// \file
/// How the threads of a CTA share a group of systems. A team of 2^lane_bits threads has one thread for each system and takes
/// one task at a time. All values that a kernel writes are read through plain pointers, never through the read-only cache:
/// other threads of the CTA wrote them before the last barrier.

#include <cstdint>
#include <utility>

#include "kernels/cuda/batch_kernels.hpp"

namespace gpusupernodal::cuda {

/// A list's element, which no kernel writes.
__device__ inline BatchTask load_task(const BatchTask* task) {
  const int4 words = __ldg(reinterpret_cast<const int4*>(task));
  return {words.x, words.y, words.z, words.w};
}
__device__ inline BatchTerm load_term(const BatchTerm* term) {
  const int4 words = __ldg(reinterpret_cast<const int4*>(term));
  return {words.x, words.y, words.z, words.w};
}
__device__ inline BatchEntry load_entry(const BatchEntry* entry) {
  const int4 words = __ldg(reinterpret_cast<const int4*>(entry));
  return {words.x, words.y, words.z, words.w};
}
__device__ inline BatchSweepTerm load_term(const BatchSweepTerm* term) {
  const int2 words = __ldg(reinterpret_cast<const int2*>(term));
  return {words.x, words.y};
}
__device__ inline BatchRowTerm load_term(const BatchRowTerm* term) {
  const int2 words = __ldg(reinterpret_cast<const int2*>(term));
  return {words.x, words.y};
}

/// A thread's place in its CTA. blockIdx.x is the group.
struct BatchLane {
  int bits;  ///< Binary logarithm of the lanes of a team.
  int lane;  ///< The thread's system in the group.
  int team;
  int teams;
  std::int32_t system;

  __device__ explicit BatchLane(int lane_bits)
      : bits(lane_bits),
        lane(static_cast<int>(threadIdx.x) & ((1 << lane_bits) - 1)),
        team(static_cast<int>(threadIdx.x) >> lane_bits),
        teams(static_cast<int>(blockDim.x) >> lane_bits),
        system((static_cast<std::int32_t>(blockIdx.x) << lane_bits) + lane) {}

  /// Where value i of this thread's system is in its group.
  __device__ std::int32_t at(std::int32_t i) const { return (i << bits) + lane; }
  /// Where the group begins in an array with `values` values of each system.
  __device__ std::int64_t group_offset(std::int64_t values) const {
    return (static_cast<std::int64_t>(blockIdx.x) * values) << bits;
  }
};

/// A task with its first terms.
template <class Fetched, int Ahead>
struct BatchWork {
  BatchTask task;
  Fetched first[Ahead];
};

/// Runs the tasks of all stages. What a stage needs from the lists is loaded while the stage before runs, and where its
/// tasks are, one stage earlier: after a barrier only values are waited for.
template <class Term, class Fetch, int Ahead>
class BatchStageRunner {
 public:
  using Fetched = decltype(std::declval<Fetch>()(Term()));
  using Work = BatchWork<Fetched, Ahead>;

  /// fetch(term) is called before the stage of the term begins; so it may read nothing that stages write.
  __device__ BatchStageRunner(const BatchStageLists<Term>& stages, const BatchLane& lane, bool active, const Fetch& fetch)
      : stages_(stages), lane_(lane), active_(active), fetch_(fetch) {}

  /// Calls run(work) for each task. An inactive thread takes part in the barriers only.
  template <class Run>
  __device__ void run(const Run& run) const {
    std::int32_t first = bound(0), last = bound(1), after = bound(2), later = bound(3);
    Work now = work_of(task_of(first, last));
    BatchTask next = task_of(last, after);
    for (std::int32_t s = 0; s < stages_.stages; ++s) {
      const Work next_work = work_of(next);
      const BatchTask after_next = task_of(after, later);
      const std::int32_t latest = bound(s + 4);
      if (now.task.target >= 0) {
        run(now);
        for (std::int32_t t = first + lane_.team + lane_.teams; t < last; t += lane_.teams)
          run(work_of(load_task(stages_.tasks + t)));
      }
      __syncthreads();
      now = next_work;
      next = after_next;
      first = last, last = after, after = later, later = latest;
    }
  }

 private:
  __device__ std::int32_t bound(std::int32_t stage) const { return __ldg(stages_.stage_first + min(stage, stages_.stages)); }
  /// The first task of this thread's team in a stage; target −1 if it has none.
  __device__ BatchTask task_of(std::int32_t first, std::int32_t last) const {
    return active_ && first + lane_.team < last ? load_task(stages_.tasks + first + lane_.team) : BatchTask{-1, 0, 0, -1};
  }
  __device__ Work work_of(const BatchTask& task) const {
    Work work{task, {}};
#pragma unroll
    for (int k = 0; k < Ahead; ++k) {
      if (k < task.count) work.first[k] = fetch_(load_term(stages_.terms + task.first + k));
    }
    return work;
  }

  const BatchStageLists<Term>& stages_;
  const BatchLane& lane_;
  bool active_;
  const Fetch& fetch_;
};

/// Runs all stages; run(work) computes a task, whose terms beyond the first `Ahead` it fetches itself.
template <int Ahead, class Term, class Fetch, class Run>
__device__ inline void run_batch_stages(const BatchStageLists<Term>& stages, const BatchLane& lane, bool active,
                                        const Fetch& fetch, const Run& run) {
  BatchStageRunner<Term, Fetch, Ahead>(stages, lane, active, fetch).run(run);
}

/// Calls add(fetched) for all terms of a task.
template <class Term, class Fetch, class Work, class Add>
__device__ inline void for_each_term(const BatchStageLists<Term>& stages, const Work& work, const Fetch& fetch,
                                     const Add& add) {
  constexpr int ahead = sizeof(work.first) / sizeof(work.first[0]);
#pragma unroll
  for (int k = 0; k < ahead; ++k) {
    if (k < work.task.count) add(work.first[k]);
  }
#pragma unroll 4
  for (std::int32_t k = ahead; k < work.task.count; ++k) add(fetch(load_term(stages.terms + work.task.first + k)));
}

/// The largest of the values that the threads of a system give, for each system of the group; NaN is larger than all.
class LaneMaximum {
 public:
  /// `slots`: shared memory, one for each lane. All threads of the CTA call this, raise() and get() in this order, with a
  /// barrier between two of them.
  __device__ static void clear(unsigned long long* slots) {
    if (threadIdx.x < max_batch_lanes) slots[threadIdx.x] = 0;
  }
  __device__ static void raise(unsigned long long* slots, int lane, double magnitude) {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(fabs(magnitude)));
    if (bits != 0) atomicMax(slots + lane, bits);
  }
  __device__ static double get(const unsigned long long* slots, int lane) {
    return __longlong_as_double(static_cast<long long>(slots[lane]));
  }
};

/// The larger magnitude; NaN if either is NaN.
__device__ inline double larger_magnitude(double largest, double value) {
  const double magnitude = fabs(value);
  return magnitude > largest || magnitude != magnitude ? magnitude : largest;
}

/// Whether the thread's system takes part in a solve. blockIdx.y is the column of b.
template <class T>
__device__ bool takes_part(const BatchLane& lane, const BatchSystems<T>& systems) {
  return lane.system < systems.count && systems.wanted[lane.system] != 0 && systems.factor_records[lane.system].has_factor();
}

template <class Entry>
__device__ Entry* column_of(const BatchVectors<Entry>& vectors, std::int32_t system) {
  return vectors.data + system * vectors.stride + static_cast<std::int64_t>(blockIdx.y) * vectors.ld;
}

/// A CTA for each group and column.
template <class T>
inline dim3 grid_of(const BatchSystems<T>& systems, const BatchSolve<T>& solve) {
  return {static_cast<unsigned>(systems.groups()), static_cast<unsigned>(solve.columns), 1};
}

}  // namespace gpusupernodal::cuda
