#include "solver/exec/cuda/device_plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/cuda/solve_kernels.hpp"
#include "solver/exec/host/workers.hpp"
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
static_assert(tile_bytes == cuda_single_entries * sizeof(double) && single_outputs == cuda_single_outputs);
static_assert(single_warp_entries == cuda_single_warp_entries && single_large_entries == cuda_single_large_entries);
static_assert(sizeof(RowSources) == 16 && cuda_solve_warp_tasks <= 32);

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
  result.chunk = task.chunk;
  result.wait = task.wait;
  result.need = task.need;
  result.also = task.also;
  result.also_need = task.also_need;
  result.arrive = task.arrive;
  return result;
}

std::vector<SolveTask> solve_tasks(const std::vector<CudaSolveTask>& from, const std::vector<PanelInfo>& panels) {
  std::vector<SolveTask> tasks;
  tasks.reserve(from.size());
  for (const CudaSolveTask& task : from) tasks.push_back(solve_task(task, panels[static_cast<std::size_t>(task.supernode)]));
  return tasks;
}

/// As the device reads them they are the same bytes.
const RowSources* upload_rows(Slab& slab, const RawVector<FrontGather::Row>& from) {
  using Row = FrontGather::Row;
  static_assert(sizeof(RowSources) == sizeof(Row) && offsetof(RowSources, more) == offsetof(Row, more));
  return static_cast<const RowSources*>(
      slab.upload_bytes(from.data(), static_cast<std::int64_t>(from.size() * sizeof(Row))));
}

/// The tasks of one direction of a solve.
struct SweepTasks {
  std::vector<SolveTask> tasks, warp_tasks;

  SweepTasks() = default;
  SweepTasks(const CudaSolveSweep& sweep, const std::vector<PanelInfo>& panels)
      : tasks(solve_tasks(sweep.tasks, panels)), warp_tasks(solve_tasks(sweep.warp_tasks, panels)) {}

  SolveSweep upload(Slab& slab) const {
    SolveSweep result;
    result.tasks = cuda::upload(slab, tasks);
    result.warp_tasks = cuda::upload(slab, warp_tasks);
    result.count = static_cast<int>(tasks.size());
    return result;
  }
};

const WidenTask* upload_widenings(Slab& slab, const std::vector<CudaWidening>& widenings) {
  std::vector<WidenTask> tasks;
  tasks.reserve(widenings.size());
  for (const CudaWidening& w : widenings) tasks.push_back({w.supernode, w.column, w.half, w.width});
  return upload(slab, tasks);
}

/// Calls the first job on this thread, which alone has the device, and the others beside it or behind. What one of them
/// threw comes out, the first one's before another's.
void run_jobs(int threads, const std::array<std::function<void()>, 3>& jobs) {
  std::array<std::exception_ptr, std::tuple_size_v<std::remove_cvref_t<decltype(jobs)>>> thrown;
  const auto run = [&](std::size_t job) noexcept {
    try {
      jobs[job]();
    } catch (...) {
      thrown[job] = std::current_exception();
    }
  };
  std::atomic<std::size_t> next{1};
  WorkerTeam team(std::min(threads, static_cast<int>(jobs.size())));
  team.run(team.count(), [&](int worker) {
    if (worker == 0) run(0);
    for (std::size_t job = next++; job < jobs.size(); job = next++) run(job);
  });
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace

/// What is made on other threads while the plan's own lists are copied.
struct DevicePlan::Lists {
  LaunchPlan launches;
  LaunchTables tables;
  SweepTasks forward, backward, forward_single, backward_single;

  void make_tables(const FactorPlan& plan) {
    tables = build_launch_tables(plan);
    forward = SweepTasks(plan.cuda().solve.forward, tables.panels);
    backward = SweepTasks(plan.cuda().solve.backward, tables.panels);
    forward_single = SweepTasks(plan.cuda().solve.forward_single, tables.panels);
    backward_single = SweepTasks(plan.cuda().solve.backward_single, tables.panels);
  }
};

DevicePlan::DevicePlan(const FactorPlan& plan, const DevicePlanOptions& options, const std::shared_ptr<Allocator>& allocator)
    : slab_(allocator, cuda_memory(plan, sizeof(double), options.keep_a).index, "the index structures on the device") {
  Lists lists;
  run_jobs(options.threads,
           {[&] { upload_plan(plan, options.keep_a); },
            [&] { lists.launches = build_launch_plan(plan, options.streams, options.scope, options.order); },
            [&] { lists.make_tables(plan); }});
  upload_lists(lists);
  if (options.order == AdditionOrder::fixed) {
    turn_slab_ = Slab(allocator, cuda_turn_bytes(plan), "the order of additions on the device");
    turns = turn_slab_.take<std::int32_t>(plan.symbolic.order());
    claims = turn_slab_.take<std::int32_t>(cuda_claims_a_level * cuda_levels(plan));
    turn_bytes = turn_slab_.used();
    turn_of_row = upload(turn_slab_, lists.launches.turn_of_row);
  }
  sequence_ = {std::move(lists.launches.levels), std::move(lists.launches.groups)};
}

void DevicePlan::upload_plan(const FactorPlan& plan, bool keep_a) {
  relative_rows = upload(slab_, plan.updates.relative_rows);
  rows = upload_ids(slab_, plan.symbolic.rows.data(), plan.symbolic.rows.size());
  source = upload(slab_, plan.assembly.source);
  target = upload(slab_, plan.assembly.target);
  const auto& old = plan.symbolic.permutation.old_of_new;
  old_of_new = upload_ids(slab_, old.data(), old.size());
  gather = upload_rows(slab_, plan.cuda().solve.gather.rows);
  gather_more = upload(slab_, plan.cuda().solve.gather.more);
  widenings = upload_widenings(slab_, plan.cuda().solve.widenings);
  if (!keep_a) return;
  entry_row = upload_ids(slab_, plan.assembly.row.data(), plan.assembly.row.size());
  entry_column = upload_ids(slab_, plan.assembly.column.data(), plan.assembly.column.size());
}

void DevicePlan::upload_lists(const Lists& lists) {
  panels = upload(slab_, lists.tables.panels);
  updates = upload(slab_, lists.tables.updates);
  update_of_row = upload(slab_, lists.tables.update_of_row);
  diagonal = upload(slab_, lists.tables.diagonal);
  tiny = upload(slab_, lists.launches.tiny);
  small = upload(slab_, lists.launches.small);
  diagonal_blocks = upload(slab_, lists.launches.diagonal);
  scale = upload(slab_, lists.launches.scale);
  product = upload(slab_, lists.launches.product);
  forward = lists.forward.upload(slab_);
  backward = lists.backward.upload(slab_);
  forward_single = lists.forward_single.upload(slab_);
  backward_single = lists.backward_single.upload(slab_);
}

}  // namespace gpusupernodal::cuda
