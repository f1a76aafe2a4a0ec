#include "solver/exec/cuda/device_plan.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

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
static_assert(tile_bytes<double> == cuda_single_entries * sizeof(double));
static_assert(tile_bytes<float> == cuda_single_float_entries * sizeof(float) && single_outputs == cuda_single_outputs);
static_assert(single_warp_entries == cuda_single_warp_entries && single_large_entries == cuda_single_large_entries);
static_assert(sizeof(RowSources) == 16 && cuda_solve_warp_tasks <= 32);

/// Ids are their 32-bit numbers.
template <class IdType>
const std::int32_t* add_ids(Upload& upload, const IdType* ids, std::size_t count) {
  static_assert(sizeof(IdType) == sizeof(std::int32_t));
  return &upload.add(std::span<const IdType>(ids, count))->value;
}

SolveTask solve_task(const CudaSolveTask& task, const PanelInfo& panel) {
  SolveTask result;
  result.offset = panel.offset;
  result.rows = static_cast<std::int32_t>(panel.rows);
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
  result.chunks = task.kind == CudaSolveKind::warps ? (task.large ? 1 : 0) : task.chunks;
  result.chunk = task.kind == CudaSolveKind::warps ? task.team : task.chunk;
  result.wait = task.wait;
  result.need = task.need;
  result.also = task.also;
  result.also_need = task.also_need;
  result.arrive = task.arrive;
  return result;
}

/// As the device reads them they are the same bytes.
const RowSources* add_rows(Upload& upload, const RawVector<FrontGather::Row>& from) {
  using Row = FrontGather::Row;
  static_assert(sizeof(RowSources) == sizeof(Row) && offsetof(RowSources, more) == offsetof(Row, more));
  return upload.add_made<RowSources>(
      static_cast<std::int64_t>(from.size()), [&from](std::int64_t first, std::int64_t last, RowSources* to) {
        std::memcpy(to, from.data() + first, static_cast<std::size_t>(last - first) * sizeof(Row));
      });
}

/// One element after the other: make(k) is the k-th.
template <class Element, class Make>
const Element* add_each(Upload& upload, std::size_t count, const Make& make) {
  return upload.add_made<Element>(static_cast<std::int64_t>(count),
                                  [make](std::int64_t first, std::int64_t last, Element* to) {
                                    for (std::int64_t k = first; k < last; ++k) *to++ = make(k);
                                  });
}

const SolveTask* add_tasks(Upload& upload, const LaunchTables& tables, const LargeVector<CudaSolveTask>& from) {
  return add_each<SolveTask>(upload, from.size(), [&from, &tables](std::int64_t k) {
    const CudaSolveTask& task = from[static_cast<std::size_t>(k)];
    return solve_task(task, tables.panel(SupernodeId(task.supernode)));
  });
}

/// The tasks of one direction of a solve.
SolveSweep add_sweep(Upload& upload, const LaunchTables& tables, const CudaSolveSweep& sweep) {
  SolveSweep result;
  result.tasks = add_tasks(upload, tables, sweep.tasks);
  result.warp_tasks = add_tasks(upload, tables, sweep.warp_tasks);
  result.count = static_cast<int>(sweep.tasks.size());
  return result;
}

CudaMemoryOptions memory_options(const DevicePlanOptions& options) {
  const bool streams = options.scope == LaunchScope::leaf_subtrees;
  return {options.scalar_bytes, options.keep_a, streams ? CudaSchedule::streams : CudaSchedule::levels,
          options.order == AdditionOrder::fixed};
}

}  // namespace

DevicePlan::DevicePlan(const FactorPlan& plan, const DevicePlanOptions& options, const std::shared_ptr<Allocator>& allocator)
    : slab_(allocator, cuda_memory(plan, memory_options(options)).index, "the index structures on the device") {
  LaunchPlan launches;
  ThreadTeam team(options.threads);
  team.execute([&] {
    TaskGroup beside(team);
    beside.run([&] { launches = build_launch_plan(plan, options.streams, options.scope, options.order, team); });
    Upload upload(slab_);
    readers = slab_.take<std::int32_t>(plan.symbolic.supernodes());
    const LaunchTables tables(plan);
    add_plan(upload, plan, options.keep_a);
    add_tables(upload, tables, plan, options.scalar_bytes);
    upload.run(team);
    beside.wait();
    add_launches(upload, launches);
    upload.run(team);
  });
  if (!launches.turn_of_row.empty()) {
    turn_slab_ = Slab(allocator, cuda_turn_bytes(plan), "the order of additions on the device");
    turns = turn_slab_.take<std::int32_t>(plan.symbolic.order());
    claims = turn_slab_.take<std::int32_t>(cuda_claims_a_level * cuda_levels(plan));
    turn_bytes = turn_slab_.used();
    turn_of_row = turn_slab_.upload(std::span<const std::int32_t>(launches.turn_of_row));
  }
  sequence_ = {std::move(launches.levels), std::move(launches.groups), std::move(launches.widenings)};
}

void DevicePlan::add_plan(Upload& upload, const FactorPlan& plan, bool keep_a) {
  relative_rows = upload.add(plan.updates.relative_rows);
  rows = add_ids(upload, plan.symbolic.rows.data(), plan.symbolic.rows.size());
  source = upload.add(plan.assembly.source);
  target = upload.add(plan.assembly.target);
  const auto& old = plan.symbolic.permutation.old_of_new;
  old_of_new = add_ids(upload, old.data(), old.size());
  gather = add_rows(upload, plan.cuda().solve.gather.rows);
  gather_more = upload.add(plan.cuda().solve.gather.more);
  if (!keep_a) return;
  entry_row = add_ids(upload, plan.assembly.row.data(), plan.assembly.row.size());
  entry_column = add_ids(upload, plan.assembly.column.data(), plan.assembly.column.size());
}

void DevicePlan::add_tables(Upload& upload, const LaunchTables& tables, const FactorPlan& plan, std::int64_t scalar_bytes) {
  panels = add_each<PanelInfo>(upload, plan.symbolic.parent.size(),
                               [&tables](std::int64_t s) { return tables.panel(SupernodeId(s)); });
  updates = add_each<UpdateInfo>(upload, plan.updates.updates.size(),
                                 [&tables](std::int64_t u) { return tables.update(UpdateId(u)); });
  update_of_row = upload.add_made<std::int32_t>(
      plan.symbolic.row_offset.back(),
      [&tables](std::int64_t first, std::int64_t last, std::int32_t* to) { tables.write_update_of_row(first, last, to); });
  diagonal = add_each<std::int64_t>(upload, static_cast<std::size_t>(plan.symbolic.order()),
                                    [&tables](std::int64_t j) { return tables.diagonal(NewIndex(j)); });
  const CudaSolvePlan& solve = plan.cuda().solve;
  forward = add_sweep(upload, tables, solve.forward);
  backward = add_sweep(upload, tables, solve.backward);
  forward_single = add_sweep(upload, tables, solve.forward_for_one(scalar_bytes));
  backward_single = add_sweep(upload, tables, solve.backward_for_one(scalar_bytes));
}

void DevicePlan::add_launches(Upload& upload, const LaunchPlan& launches) {
  tiny = upload.add(launches.tiny);
  small = upload.add(launches.small);
  diagonal_blocks = upload.add(launches.diagonal);
  scale = upload.add(launches.scale);
  product = upload.add(launches.product);
  widen = upload.add(launches.widen);
}

}  // namespace gpusupernodal::cuda
