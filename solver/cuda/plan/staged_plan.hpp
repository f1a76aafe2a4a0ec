#pragma once

/// \file
/// Plans for a device that cannot hold all panels (Stages).

#include <cstdint>
#include <memory>

#include "base/thread_team.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"

namespace gpusupernodal {

/// Divides the work into as few stages as leave at most `most_bytes` on the device, and returns the plan; nullptr if no
/// division does. `least_bytes`, if given, is set to what the division that needs least would take. Precondition: `whole` is
/// a plan for Form::llt with the schedule *levels* and any order of additions. Cost: a copy of the structure, and O(tasks).
std::shared_ptr<const CudaPlan> build_staged_plan(const CudaPlan& whole, const MemoryRequest& request,
                                                  std::int64_t most_bytes, ThreadTeam& team,
                                                  std::int64_t* least_bytes = nullptr);

}  // namespace gpusupernodal
