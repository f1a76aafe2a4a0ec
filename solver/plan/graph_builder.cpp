#include "solver/plan/graph_builder.hpp"

#include <algorithm>

namespace gpusupernodal {

TaskGraph GraphBuilder::finish() {
  TaskGraph graph;
  graph.tasks = std::move(tasks_);
  graph.waits_for.assign(graph.tasks.size(), 0);
  graph.successor_offset.assign(graph.tasks.size() + 1, 0);
  for (const auto& [predecessor, task] : edges_) {
    ++graph.waits_for[task];
    ++graph.successor_offset[predecessor + 1];
  }
  for (TaskId t : graph.tasks.ids()) graph.successor_offset[t + 1] += graph.successor_offset[t];
  graph.successors.resize(edges_.size());
  auto next = graph.successor_offset;
  for (const auto& [predecessor, task] : edges_) graph.successors[static_cast<std::size_t>(next[predecessor]++)] = task;

  graph.critical_flops.assign(graph.tasks.size(), 0.0);
  for (auto t = static_cast<std::int64_t>(graph.tasks.size()) - 1; t >= 0; --t) {
    const TaskId id(t);
    double longest = 0.0;
    for (TaskId successor : graph.successors_of(id)) longest = std::max(longest, graph.critical_flops[successor]);
    graph.critical_flops[id] = longest + graph.tasks[id].flops;
    graph.critical_path_flops = std::max(graph.critical_path_flops, graph.critical_flops[id]);
  }
  edges_.clear();
  writer_.clear();
  return graph;
}

}  // namespace gpusupernodal
