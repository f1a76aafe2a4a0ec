#pragma once

/// \file
/// The block tasks of a schedule distributed over streams, with events where one stream waits for another [ZDG].
/// Host-only.

#include <cstdint>
#include <vector>

#include "solver/factor/schedule.hpp"

namespace gpusupernodal::cuda {

/// One task in launch order: wait for events wait_begin … wait_end−1 of StreamPlan::waits, run the task, record
/// `event`.
struct StreamStep {
  TaskId task;
  std::int32_t stream = 0;
  std::int64_t wait_begin = 0;
  std::int64_t wait_end = 0;
  std::int32_t event = -1;  ///< The event it records; −1 if no other stream waits for it.
};

/// Tasks above the leaf subtrees in the order of the task graph. The tasks of one block column share a stream, so the
/// writers of a tile need no events among themselves. A wait is omitted if the stream has already waited for a later
/// event of the same stream.
struct StreamPlan {
  std::vector<StreamStep> steps;
  std::vector<std::int32_t> waits;  ///< Indices of events.
  std::int32_t events = 0;
};

/// Distributes the tasks. Precondition: 1 ≤ streams. Leaf subtrees and assembly are assumed to be done. Cost O(tasks +
/// edges).
StreamPlan build_stream_plan(const Schedule& schedule, std::int32_t streams);

}  // namespace gpusupernodal::cuda
