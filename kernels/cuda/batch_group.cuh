#pragma once

/// \file
/// How the threads of a CTA share a group of systems. A team of 2^lane_bits threads has one thread for each system and takes
/// one task at a time. All values that a kernel writes are read through plain pointers, never through the read-only cache:
/// other threads of the CTA wrote them before the last barrier.

#include <cstdint>

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
  int bits;           ///< Binary logarithm of the lanes of a team.
  int lane;           ///< The thread's system in the group.
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

/// Runs all stages. An inactive thread takes part in the barriers only.
template <class Term, class Run>
__device__ inline void run_batch_stages(const BatchStageLists<Term>& stages, const BatchLane& lane, bool active,
                                        const Run& run) {
  for (std::int32_t s = 0; s < stages.stages; ++s) {
    const std::int32_t last = __ldg(stages.stage_first + s + 1);
    if (active) {
      for (std::int32_t t = __ldg(stages.stage_first + s) + lane.team; t < last; t += lane.teams)
        run(load_task(stages.tasks + t));
    }
    __syncthreads();
  }
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

}  // namespace gpusupernodal::cuda
