#include "solver/host/run/host_trace.hpp"

#include <array>
#include <numeric>

namespace gpusupernodal {
namespace {

constexpr std::array<const char*, 5> forward_names{"forward_subtree", "forward_gather", "forward_diagonal", "forward_below",
                                                   "forward_complete"};
constexpr std::array<const char*, 5> backward_names{"backward_subtree", "backward_gather", "backward_diagonal",
                                                    "backward_below", "backward_complete"};

/// The supernode that the task writes; of a leaf subtree its root.
SupernodeId supernode_of(const Schedule& schedule, const Task& task) {
  if (task.kind == TaskKind::factor_subtree) return schedule.subtrees[task.subtree].last;
  if (task.kind == TaskKind::complete) return task.source;
  return schedule.block_columns[task.target].supernode;
}

SupernodeId supernode_of(const Schedule& schedule, const SolveTask& task) {
  if (task.kind == SolveTaskKind::subtree) return schedule.subtrees[task.subtree].last;
  return task.block.valid() ? schedule.block_columns[task.block].supernode : task.supernode;
}

TraceSlice solve_slice(const HostPlan& plan, const SolveTask& task, int worker, const Graph<SolveTask>& graph,
                       const char* name) {
  TraceSlice slice;
  slice.name = name;
  slice.group = TraceGroup::threads;
  slice.lane = worker;
  slice.task = &task - graph.tasks.data();
  slice.supernode = supernode_of(plan.schedule, task).value;
  slice.flops = task.flops;
  return slice;
}

}  // namespace

TraceSlice task_slice(const HostPlan& plan, const Task& task, int worker) {
  const SupernodeId s = supernode_of(plan.schedule, task);
  TraceSlice slice;
  slice.name = name_of(task.kind);
  slice.group = TraceGroup::threads;
  slice.regime = regime_of(plan.structure->symbolic, plan.schedule, s);
  slice.lane = worker;
  slice.task = &task - plan.schedule.graph.tasks.data();
  slice.supernode = s.value;
  slice.flops = task.flops;
  return slice;
}

TraceSlice forward_slice(const HostPlan& plan, const SolveTask& task, int worker) {
  return solve_slice(plan, task, worker, plan.solve.forward, forward_names[static_cast<std::size_t>(task.kind)]);
}

TraceSlice backward_slice(const HostPlan& plan, const SolveTask& task, int worker) {
  return solve_slice(plan, task, worker, plan.solve.backward, backward_names[static_cast<std::size_t>(task.kind)]);
}

double total_flops(const TaskGraph& graph) {
  return std::accumulate(graph.tasks.begin(), graph.tasks.end(), 0.0,
                         [](double sum, const Task& task) { return sum + task.flops; });
}

}  // namespace gpusupernodal
