#include "solver/cuda/plan/stream_plan.hpp"

#include <utility>

namespace gpusupernodal::cuda {
namespace {

bool done_before(TaskKind kind) { return kind == TaskKind::factor_subtree || kind == TaskKind::assemble; }

/// Predecessors of each task: those of task t are list[offset[t]] … list[offset[t + 1] − 1].
struct Predecessors {
  IdVector<TaskId, std::int64_t> offset;
  std::vector<TaskId> list;

  explicit Predecessors(const TaskGraph& graph) : offset(graph.tasks.size() + 1), list(graph.successors.size()) {
    for (TaskId t : graph.tasks.ids()) offset[t + 1] = offset[t] + graph.waits_for[t];
    auto next = offset;
    for (TaskId t : graph.tasks.ids()) {
      for (TaskId successor : graph.successors_of(t)) list[static_cast<std::size_t>(next[successor]++)] = t;
    }
  }
};

class Builder {
 public:
  Builder(const Schedule& schedule, std::int32_t streams)
      : schedule_(schedule),
        streams_(streams),
        step_of_(schedule.graph.tasks.size(), -1),
        waited_(static_cast<std::size_t>(streams) * static_cast<std::size_t>(streams), -1) {}

  StreamPlan build() {
    const TaskGraph& graph = schedule_.graph;
    const Predecessors predecessors(graph);
    for (TaskId t : graph.tasks.ids()) {
      if (done_before(graph.tasks[t].kind)) continue;
      StreamStep step;
      step.task = t;
      step.stream = stream_of(graph.tasks[t]);
      step.wait_begin = static_cast<std::int64_t>(plan_.waits.size());
      for (std::int64_t e = predecessors.offset[t]; e < predecessors.offset[t + 1]; ++e) {
        wait_for(step_of_[predecessors.list[static_cast<std::size_t>(e)]], step.stream);
      }
      step.wait_end = static_cast<std::int64_t>(plan_.waits.size());
      step_of_[t] = static_cast<std::int64_t>(plan_.steps.size());
      plan_.steps.push_back(step);
    }
    return std::move(plan_);
  }

 private:
  /// The completion of a supernode runs on the stream of its last block column.
  std::int32_t stream_of(const Task& task) const {
    const BlockColumnId block =
        task.kind == TaskKind::complete ? schedule_.first_block_column[task.source + 1] - 1 : task.target;
    return block.value % streams_;
  }

  void wait_for(std::int64_t step, std::int32_t stream) {
    if (step < 0) return;
    StreamStep& other = plan_.steps[static_cast<std::size_t>(step)];
    std::int64_t& waited = waited_[static_cast<std::size_t>(stream * streams_ + other.stream)];
    if (other.stream == stream || waited >= step) return;
    waited = step;
    if (other.event < 0) other.event = plan_.events++;
    plan_.waits.push_back(other.event);
  }

  const Schedule& schedule_;
  std::int32_t streams_;
  IdVector<TaskId, std::int64_t> step_of_;  ///< −1: done before.
  std::vector<std::int64_t> waited_;        ///< [a][b]: latest step of stream b that stream a has waited for.
  StreamPlan plan_;
};

}  // namespace

StreamPlan build_stream_plan(const Schedule& schedule, std::int32_t streams) { return Builder(schedule, streams).build(); }

}  // namespace gpusupernodal::cuda
