/// Streams and events of the schedule `streams`, planned without a device.

#include "solver/cuda/plan/stream_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::build_stream_plan;
using cuda::StreamPlan;
using cuda::StreamStep;

/// For each stream: the last step of every stream that is known to have finished when its next step begins.
using Clocks = std::vector<std::vector<std::int64_t>>;

void merge(std::vector<std::int64_t>& clock, const std::vector<std::int64_t>& other) {
  for (std::size_t s = 0; s < clock.size(); ++s) clock[s] = std::max(clock[s], other[s]);
}

class StreamPlanTest : public testing::TestWithParam<int> {};

TEST_P(StreamPlanTest, EveryTaskStartsAfterAllThatItWaitsFor) {
  const auto streams = static_cast<std::size_t>(GetParam());
  for (const io::SymmetricMatrix& a : matrices()) {
    const auto plan = cuda_plan_of(a);
    const Schedule schedule = block_schedule(*plan);
    const TaskGraph& graph = schedule.graph;
    const StreamPlan steps = build_stream_plan(schedule, GetParam());
    IdVector<TaskId, std::int64_t> step_of(graph.tasks.size(), -1);
    Clocks clocks(streams, std::vector<std::int64_t>(streams, -1));
    std::vector<std::vector<std::int64_t>> recorded(static_cast<std::size_t>(steps.events));
    std::vector<std::vector<TaskId>> predecessors(graph.tasks.size());
    for (TaskId t : graph.tasks.ids()) {
      for (TaskId next : graph.successors_of(t)) predecessors[static_cast<std::size_t>(next.value)].push_back(t);
    }
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const StreamStep& step = steps.steps[i];
      ASSERT_LT(step.stream, GetParam());
      auto& clock = clocks[static_cast<std::size_t>(step.stream)];
      for (std::int64_t w = step.wait_begin; w < step.wait_end; ++w) {
        const auto& event = recorded[static_cast<std::size_t>(steps.waits[static_cast<std::size_t>(w)])];
        ASSERT_FALSE(event.empty()) << "an event is waited for before it is recorded";
        merge(clock, event);
      }
      for (TaskId before : predecessors[static_cast<std::size_t>(step.task.value)]) {
        const std::int64_t other = step_of[before];
        if (other < 0) continue;
        EXPECT_GE(clock[static_cast<std::size_t>(steps.steps[static_cast<std::size_t>(other)].stream)], other) << a.name;
      }
      ASSERT_EQ(step_of[step.task], -1) << "a task twice";
      step_of[step.task] = static_cast<std::int64_t>(i);
      clock[static_cast<std::size_t>(step.stream)] = static_cast<std::int64_t>(i);
      if (step.event >= 0) recorded[static_cast<std::size_t>(step.event)] = clock;
    }
    for (TaskId t : graph.tasks.ids()) {
      const TaskKind kind = graph.tasks[t].kind;
      EXPECT_EQ(step_of[t] >= 0, kind != TaskKind::factor_subtree && kind != TaskKind::assemble) << a.name;
    }
  }
}

TEST_P(StreamPlanTest, OneStreamNeedsNoEvents) {
  const auto plan = cuda_plan_of(io::generate("lap3d:12"));
  const StreamPlan steps = build_stream_plan(block_schedule(*plan), GetParam());
  if (GetParam() == 1) {
    EXPECT_EQ(steps.events, 0);
  } else {
    EXPECT_GT(steps.steps.size(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, StreamPlanTest, testing::Values(1, 2, 4, 7));

}  // namespace
}  // namespace gpusupernodal::test
