/// \file
/// Writes a matrix's plan as JSON for the pictures: panels and their rows, tasks and their dependencies, launches by
/// levels and by streams. usage: plan_dump MATRIX BLOCK-WIDTH SUBTREE-FLOPS STREAMS

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "io/symmetric_matrix.hpp"
#include "solver/cuda/plan/launch_plan.hpp"
#include "solver/cuda/plan/stream_plan.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::test {
namespace {

using nlohmann::json;

json panels_of(const FactorPlan& plan, const cuda::LaunchPlan& launches) {
  const SymbolicFactor& factor = plan.symbolic;
  json panels = json::array();
  for (SupernodeId s : factor.supernode_ids()) {
    json rows = json::array();
    for (NewIndex row : factor.rows_of(s)) rows.push_back(row.value);
    const bool leaf = plan.host().schedule.in_subtree(s);
    panels.push_back({{"first", factor.first_column[s].value},
                      {"width", factor.width(s)},
                      {"rows", rows},
                      {"parent", factor.parent[s].valid() ? factor.parent[s].value : -1},
                      {"subtree", leaf ? plan.host().schedule.subtree_of[s].value : -1},
                      {"first_level", launches.first_level[s]},
                      {"last_level", launches.last_level(factor, s)}});
  }
  return panels;
}

/// Entries of A's lower half in elimination order.
json entries_of(const FactorPlan& plan) {
  json entries = json::array();
  for (std::size_t e = 0; e < plan.assembly.source.size(); ++e) {
    entries.push_back({plan.assembly.row[e].value, plan.assembly.column[e].value});
  }
  return entries;
}

json tasks_of(const Schedule& schedule) {
  json tasks = json::array();
  const auto& graph = schedule.graph;
  for (TaskId t : graph.tasks.ids()) {
    const Task& task = graph.tasks[t];
    json successors = json::array();
    for (TaskId next : graph.successors_of(t)) successors.push_back(next.value);
    const bool tile = task.target.valid();
    tasks.push_back({{"kind", name_of(task.kind)},
                     {"subtree", task.subtree.valid() ? task.subtree.value : -1},
                     {"source", task.source.valid() ? task.source.value : -1},
                     {"source_block", task.source_block.valid() ? task.source_block.value : -1},
                     {"target", tile ? task.target.value : -1},
                     {"supernode", tile ? schedule.block_columns[task.target].supernode.value : -1},
                     {"rows", {task.row_begin, task.row_end}},
                     {"flops", task.flops},
                     {"successors", successors}});
  }
  return tasks;
}

json blocks_of(const Schedule& schedule) {
  json blocks = json::array();
  for (const BlockColumn& block : schedule.block_columns) {
    blocks.push_back({{"supernode", block.supernode.value}, {"first", block.first}, {"width", block.width}});
  }
  return blocks;
}

/// CUDA's schedule: leaf subtrees perform their own updates.
json streams_of(const FactorPlan& plan, int streams_wanted) {
  ScheduleOptions options = plan.host().schedule.options;
  options.subtree_updates = SubtreeUpdates::pushed_by_source;
  const Schedule schedule = build_schedule(plan.symbolic, plan.updates, options);
  const cuda::StreamPlan streams = cuda::build_stream_plan(schedule, streams_wanted);
  json steps = json::array();
  for (const cuda::StreamStep& step : streams.steps) {
    json waits = json::array();
    for (std::int64_t w = step.wait_begin; w < step.wait_end; ++w)
      waits.push_back(streams.waits[static_cast<std::size_t>(w)]);
    const Task& task = schedule.graph.tasks[step.task];
    const SupernodeId s = task.target.valid() ? schedule.block_columns[task.target].supernode : task.source;
    steps.push_back({{"kind", name_of(task.kind)}, {"supernode", s.value}, {"stream", step.stream}, {"waits", waits}});
  }
  return steps;
}

int dump(const char* matrix, int block_width, double subtree_flops, int streams) {
  const io::SymmetricMatrix a = io::load(matrix);
  const MatrixView<double> view = a.view();
  PlanOptions options;
  options.symbolic.ordering = Ordering::amd;
  ScheduleOptions schedule;
  schedule.block_width = block_width;
  schedule.max_subtree_flops = subtree_flops;
  options.host_schedule = schedule;
  CudaPlanOptions cuda;
  cuda.streams = streams;
  const auto plan =
      with_cuda(make_plan({view.n, view.offsets, view.indices, view.part, view.compression}, options), cuda, 1);
  const cuda::LaunchPlan& launches = plan->cuda().launches;
  const json text = {{"matrix", a.name},
                     {"n", a.n},
                     {"nonzeros_l", plan->symbolic.nonzeros},
                     {"panels", panels_of(*plan, launches)},
                     {"entries", entries_of(*plan)},
                     {"blocks", blocks_of(plan->host().schedule)},
                     {"tasks", tasks_of(plan->host().schedule)},
                     {"steps", streams_of(*plan, streams)}};
  std::cout << text.dump(1) << '\n';
  return 0;
}

}  // namespace
}  // namespace gpusupernodal::test

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: plan_dump MATRIX BLOCK-WIDTH SUBTREE-FLOPS STREAMS\n";
    return 2;
  }
  try {
    return gpusupernodal::test::dump(argv[1], std::atoi(argv[2]), std::atof(argv[3]), std::atoi(argv[4]));
  } catch (const std::exception& e) {
    std::cerr << "plan_dump: " << e.what() << '\n';
    return 1;
  }
}
