#pragma once

/// \file
/// Divides the sweeps of a solve: between several devices, each of which runs the tasks of its subtrees, while all run those
/// of the top, or into stages. Host-only.

#include <cstdint>
#include <functional>
#include <vector>

#include "solver/cuda/plan/device_share.hpp"
#include "solver/cuda/plan/solve_plan.hpp"

namespace gpusupernodal {

/// Copies what belongs to the vectors of a solve, which are those of the whole matrix: sources of rows and counts of sums.
void copy_vector_lists(const CudaSolvePlan& whole, CudaSolvePlan& own);

/// Divides the tasks of a sweep by group_of(front) < groups. Those of each group follow one another in `to`, in their order.
/// Returns where each group begins in to.tasks, and the end. Cost O(tasks + groups).
std::vector<std::int64_t> divide_tasks(const CudaSolveSweep& from, std::size_t groups,
                                       const std::function<std::size_t(SupernodeId)>& group_of, CudaSolveSweep& to);

/// A sweep's tasks for fronts in subtrees of one device, and those for fronts of the top. Both count in the same counters.
/// A forward sweep runs `subtrees` first; when `top` begins, the contributions of all subtrees are there, so its tasks wait
/// for none of them. A backward sweep runs `top` first.
struct SharedSweep {
  CudaSolveSweep subtrees;
  CudaSolveSweep top;
};

/// Cost O(tasks).
SharedSweep share_forward(const CudaSolveSweep& sweep, const DeviceMap& map, PartId part);
SharedSweep share_backward(const CudaSolveSweep& sweep, const DeviceMap& map, PartId part);

}  // namespace gpusupernodal
