#pragma once

/// \file
/// The block tasks of a schedule laid out over streams, with events where one stream waits for another [ZDG]. Host-only.

#include <cstdint>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal::cuda {

/// One task in launch order: first wait for events wait_begin … wait_end−1 of StreamPlan::waits, then work, then record.
struct StreamStep {
  TaskId task;
  std::int32_t stream = 0;
  std::int64_t wait_begin = 0;
  std::int64_t wait_end = 0;
  std::int32_t event = -1;  ///< The event it records; −1 where nobody on another stream waits for it.
};

/// First in, first out: tasks above the leaf subtrees in the graph's order. The tasks of one block column share a stream,
/// so that the writers of a tile need no events among themselves. A wait is left out where the stream has waited for a
/// later event of the same stream already.
struct StreamPlan {
  std::vector<StreamStep> steps;
  std::vector<std::int32_t> waits;  ///< Events.
  std::int32_t events = 0;
};

/// Precondition: 1 ≤ streams. Leaf subtrees and assembly count as done before. Cost O(tasks + edges).
StreamPlan build_stream_plan(const Schedule& schedule, std::int32_t streams);

}  // namespace gpusupernodal::cuda
