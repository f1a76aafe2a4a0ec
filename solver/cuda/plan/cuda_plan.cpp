#include "solver/cuda/plan/cuda_plan.hpp"

#include <algorithm>
#include <utility>

#include "solver/cuda/plan/column_solve_order.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t default_block_width = 1024;
constexpr std::int32_t subtree_width = 64;

ScheduleOptions schedule_options(std::int32_t block_width) {
  ScheduleOptions options;
  options.block_width = block_width > 0 ? block_width : default_block_width;
  options.cuts_at_borders = false;
  options.max_subtree_width = subtree_width;
  options.subtree_updates = SubtreeUpdates::pushed_by_source;
  return options;
}

bool by_streams(const CudaPlanOptions& options) { return options.schedule == CudaSchedule::streams; }

std::int64_t bytes_of(const cuda::LaunchPlan& l) {
  return bytes_in(l.levels, l.groups, l.tiny, l.small, l.run.fronts, l.run.groups, l.diagonal, l.scale, l.product,
                  l.first_level, l.first_block_level, l.tasks_before_row);
}

std::int64_t bytes_of(const CudaSolvePlan& s) {
  std::int64_t bytes = bytes_in(s.gather.rows, s.gather.more, s.inverse_merges, s.inverse_merge_groups);
  for (const CudaSolveSweep* sweep :
       {&s.forward, &s.backward, &s.forward_one_rhs, &s.backward_one_rhs, &s.forward_float, &s.backward_float}) {
    bytes += bytes_in(sweep->tasks, sweep->warp_tasks);
  }
  return bytes;
}

}  // namespace

std::int64_t CudaPlan::bytes() const {
  return static_cast<std::int64_t>(sizeof(CudaPlan)) + bytes_of(schedule) + bytes_of(solve) + bytes_of(launches) +
         bytes_in(fronts.first_level, fronts.kind, fronts.levels, streams.steps, streams.waits) +
         static_cast<std::int64_t>(fronts.in_run.size() / 8) + (columns ? columns->bytes() : 0);
}

MemoryEstimate CudaPlan::memory(const MemoryRequest& request) const {
  MemoryEstimate memory = cuda_memory(*this, request);
  if (by_streams(options)) memory.workspace += cuda_block_workspace(*this, request.scalar, 0);
  return memory;
}

/// Under *levels*, all tasks of a level may run at once and the next level waits for them, so the critical path
/// consists of the largest task of each level.
PlannedWork CudaPlan::work() const {
  if (columns) {
    return {static_cast<std::int64_t>(columns->tasks.size()),
            (columns->longest_path_flops + structure->columns->tail_flops) / 2.0};
  }
  if (by_streams(options)) {
    return {static_cast<std::int64_t>(schedule.graph.tasks.size()), schedule.graph.critical_path_flops};
  }
  PlannedWork work;
  work.tasks = static_cast<std::int64_t>(launches.tiny.size() + launches.small.size() + launches.run.fronts.size() +
                                         launches.diagonal.size() + launches.scale.size() + launches.product.size());
  for (std::size_t level = 0; level < launches.levels.size(); ++level) {
    work.critical_path_flops += cuda::largest_task_flops(launches, structure->symbolic, level);
  }
  return work;
}

CudaPlanOptions options_for(CudaPlanOptions options, const FactorStructure& structure) {
  options.form = structure.general ? Form::lu : Form::llt;
  return options;
}

CudaPlanBuilder::CudaPlanBuilder(const CudaPlanOptions& options) : plan_(std::make_unique<CudaPlan>()) {
  plan_->options = options;
}

void CudaPlanBuilder::begin(const SymbolicFactor& factor, ThreadTeam& team, StepLog& log) {
  CudaPlan& plan = *plan_;
  // Run alone: for tall trees it briefly needs much memory and little time.
  log.time("cuda fronts", [&] {
    const bool may_run = !plan.options.deterministic && !by_streams(plan.options);
    plan.fronts = plan_cuda_fronts(factor.fronts(), plan.options.launch, {plan.options.form == Form::lu ? 2 : 1, may_run});
    return bytes_in(plan.fronts.first_level, plan.fronts.kind, plan.fronts.levels);
  });
  log.time("cuda sweeps", [&] {
    plan.solve = build_cuda_sweeps(factor, team);
    return bytes_of(plan.solve);
  });
}

void CudaPlanBuilder::make_schedule(const FactorStructure& structure, ThreadTeam& team, StepLog& log) {
  CudaPlan& plan = *plan_;
  log.time("cuda schedule", [&] {
    const ScheduleOptions options = schedule_options(structure.block_width);
    plan.schedule = by_streams(plan.options) ? build_schedule(structure.symbolic, structure.updates, options, team)
                                             : cut_schedule(structure.symbolic, options);
    if (by_streams(plan.options)) plan.streams = cuda::build_stream_plan(plan.schedule, plan.options.streams);
    return bytes_of(plan.schedule);
  });
  log.time("cuda launches", [&] {
    if (plan.solve.fits) plan.launches = cuda::build_launch_plan(plan, structure.symbolic, team);
    return bytes_of(plan.launches);
  });
}

std::shared_ptr<const CudaPlan> CudaPlanBuilder::finish(std::shared_ptr<const FactorStructure> structure, ThreadTeam& team,
                                                        StepLog& log) {
  CudaPlan& plan = *plan_;
  plan.structure = std::move(structure);
  const FactorStructure& s = *plan.structure;
  // With many small fronts, lists of several threads would take as much memory as the plan itself.
  ThreadTeam one(1);
  ThreadTeam& listers = is_made_step_by_step(s.symbolic) ? one : team;
  TaskGroup schedule_task(listers);
  schedule_task.run([&] { make_schedule(s, listers, log); });
  log.time("cuda gather", [&] {
    if (plan.solve.fits) plan.solve.gather = build_front_gather(s.symbolic, s.updates, team);
    return bytes_in(plan.solve.gather.rows, plan.solve.gather.more);
  });
  schedule_task.wait();
  return std::shared_ptr<const CudaPlan>(std::move(plan_));
}

std::shared_ptr<const CudaPlan> build_cuda_plan(std::shared_ptr<const FactorStructure> structure,
                                                const CudaPlanOptions& options, ThreadTeam& team, StepLog& log) {
  if (structure->columns) {
    auto plan = std::make_shared<CudaPlan>();
    plan->options = options_for(options, *structure);
    const ColumnStructure& columns = *structure->columns;
    plan->solve.fits = cuda::steps_fit(columns.n, columns.tail());
    cuda::ColumnLaunches launches;
    launches.level_tasks.push_back(0);
    if (plan->solve.fits) launches = cuda::build_column_launches(columns, options.column_rules);
    plan->columns = std::make_shared<cuda::ColumnLaunches>(std::move(launches));
    plan->structure = std::move(structure);
    return plan;
  }
  CudaPlanBuilder builder(options_for(options, *structure));
  builder.begin(structure->symbolic, team, log);
  return builder.finish(std::move(structure), team, log);
}

}  // namespace gpusupernodal
