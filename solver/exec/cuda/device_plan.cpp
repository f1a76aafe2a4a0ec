#include "solver/exec/cuda/device_plan.hpp"

#include "kernels/cuda/solve_kernels.hpp"
#include "solver/plan/cuda_memory.hpp"
#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal::cuda {
namespace {

// cuda_memory counts these records without seeing them.
static_assert(sizeof(PanelInfo) == 32 && sizeof(UpdateInfo) == 24 && sizeof(DiagonalTask) == 16 && sizeof(ScaleTask) == 16);
static_assert(sizeof(FrontTask) == 8 && sizeof(ProductTask) == 28 && sizeof(SolveTask) == 80 && sizeof(DeviceStatus) == 64);
static_assert(sizeof(CudaWidening) == sizeof(WidenTask));
static_assert(solve_few == cuda_solve_few && solve_many == cuda_solve_many && solve_block == cuda_solve_block);
static_assert(solve_outputs == cuda_solve_outputs && solve_warps == cuda_solve_warps);
static_assert(solve_warp_entries == cuda_solve_warp_entries && sizeof(RowSources) == 16 && cuda_solve_warp_tasks <= 32);

template <class Element, class Allocator>
const Element* upload(Slab& slab, const std::vector<Element, Allocator>& host) {
  return slab.upload(std::span<const Element>(host));
}

/// Ids are their 32-bit numbers.
template <class IdType>
const std::int32_t* upload_ids(Slab& slab, const IdType* ids, std::size_t count) {
  static_assert(sizeof(IdType) == sizeof(std::int32_t));
  return &slab.upload(std::span<const IdType>(ids, count))->value;
}

SolveTask solve_task(const CudaSolveTask& task, const PanelInfo& panel) {
  SolveTask result;
  result.offset = panel.offset;
  result.rows = panel.rows;
  result.first_column = panel.first_column;
  result.panel_width = panel.width;
  result.front = panel.front;
  result.ld = panel.ld;
  result.kind = static_cast<SolveKind>(task.kind);
  result.column = task.column;
  result.width = task.width;
  result.row_begin = task.row_begin;
  result.row_end = task.row_end;
  result.partial = task.partial;
  result.chunks = task.chunks;
  result.wait = task.wait;
  result.need = task.need;
  result.also = task.also;
  result.also_need = task.also_need;
  result.arrive = task.arrive;
  return result;
}

const SolveTask* upload_tasks(Slab& slab, const std::vector<CudaSolveTask>& from, const std::vector<PanelInfo>& panels) {
  std::vector<SolveTask> tasks;
  tasks.reserve(from.size());
  for (const CudaSolveTask& task : from) tasks.push_back(solve_task(task, panels[static_cast<std::size_t>(task.supernode)]));
  return upload(slab, tasks);
}

const RowSources* upload_rows(Slab& slab, const RawVector<FrontGather::Row>& from) {
  std::vector<RowSources> rows;
  rows.reserve(from.size());
  for (const FrontGather::Row& row : from) rows.push_back({{row.first[0], row.first[1], row.first[2]}, row.more});
  return upload(slab, rows);
}

SolveSweep upload_sweep(Slab& slab, const CudaSolveSweep& sweep, const std::vector<PanelInfo>& panels) {
  SolveSweep result;
  result.tasks = upload_tasks(slab, sweep.tasks, panels);
  result.warp_tasks = upload_tasks(slab, sweep.warp_tasks, panels);
  result.count = static_cast<int>(sweep.tasks.size());
  return result;
}

const WidenTask* upload_widenings(Slab& slab, const std::vector<CudaWidening>& widenings) {
  std::vector<WidenTask> tasks;
  tasks.reserve(widenings.size());
  for (const CudaWidening& w : widenings) tasks.push_back({w.supernode, w.column, w.half, w.width});
  return upload(slab, tasks);
}

}  // namespace

DevicePlan::DevicePlan(const FactorPlan& plan, std::int32_t streams, LaunchScope scope, AdditionOrder order, bool keep_a,
                       const std::shared_ptr<Allocator>& allocator)
    : slab_(allocator, cuda_memory(plan, sizeof(double), keep_a).index, "the index structures on the device") {
  LaunchPlan launches = build_launch_plan(plan, streams, scope, order);
  const LaunchTables tables = build_launch_tables(plan);
  panels = upload(slab_, tables.panels);
  updates = upload(slab_, tables.updates);
  update_of_row = upload(slab_, tables.update_of_row);
  relative_rows = upload(slab_, plan.updates.relative_rows);
  rows = upload_ids(slab_, plan.symbolic.rows.data(), plan.symbolic.rows.size());
  source = upload(slab_, plan.assembly.source);
  target = upload(slab_, plan.assembly.target);
  diagonal = upload(slab_, tables.diagonal);
  const auto& old = plan.symbolic.permutation.old_of_new;
  old_of_new = upload_ids(slab_, old.data(), old.size());
  tiny = upload(slab_, launches.tiny);
  small = upload(slab_, launches.small);
  diagonal_blocks = upload(slab_, launches.diagonal);
  scale = upload(slab_, launches.scale);
  product = upload(slab_, launches.product);
  gather = upload_rows(slab_, plan.cuda().solve.gather.rows);
  gather_more = upload(slab_, plan.cuda().solve.gather.more);
  forward = upload_sweep(slab_, plan.cuda().solve.forward, tables.panels);
  backward = upload_sweep(slab_, plan.cuda().solve.backward, tables.panels);
  widenings = upload_widenings(slab_, plan.cuda().solve.widenings);
  if (keep_a) {
    entry_row = upload_ids(slab_, plan.assembly.row.data(), plan.assembly.row.size());
    entry_column = upload_ids(slab_, plan.assembly.column.data(), plan.assembly.column.size());
  }
  if (order == AdditionOrder::fixed) {
    turn_slab_ = Slab(allocator, cuda_turn_bytes(plan), "the order of additions on the device");
    turns = turn_slab_.take<std::int32_t>(plan.symbolic.order());
    claims = turn_slab_.take<std::int32_t>(cuda_claims_a_level * cuda_levels(plan.symbolic));
    turn_bytes = turn_slab_.used();
    turn_of_row = upload(turn_slab_, launches.turn_of_row);
  }
  sequence_ = {std::move(launches.levels), std::move(launches.groups)};
}

}  // namespace gpusupernodal::cuda
