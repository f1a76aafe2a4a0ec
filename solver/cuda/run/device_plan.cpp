#include "solver/cuda/run/device_plan.hpp"

#include <optional>
#include <span>

#include "kernels/cuda/solve_kernels.hpp"
#include "solver/cuda/plan/column_launches.hpp"
#include "solver/cuda/plan/memory.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Uploads ids as their 32-bit numbers.
template <class IdType>
const std::int32_t* add_ids(Upload& upload, const IdType* ids, std::size_t count) {
  static_assert(sizeof(IdType) == sizeof(std::int32_t));
  return &upload.add(std::span<const IdType>(ids, count))->value;
}

SolveTask solve_task(const CudaSolveTask& task, const PanelInfo& panel) {
  // All columns of a task lie in one block column. Groups have no columns.
  const PanelBlock block = block_of(panel, is_group(task.kind) ? 0 : task.column);
  SolveTask result{{}, task};
  result.offset = block.origin;
  result.rows = static_cast<std::int32_t>(panel.rows);
  result.first_column = panel.first_column;
  result.panel_width = panel.width;
  result.front = panel.front;
  result.ld = static_cast<std::int32_t>(block.ld);
  return result;
}

/// Uploads `count` elements; make(k) returns the k-th.
template <class Element, class Make>
const Element* add_each(Upload& upload, std::size_t count, const Make& make) {
  return upload.add_generated<Element>(static_cast<std::int64_t>(count),
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

/// Uploads the tasks of one direction of a solve.
SolveSweep add_sweep(Upload& upload, const LaunchTables& tables, const CudaSolveSweep& sweep) {
  SolveSweep result;
  result.tasks = add_tasks(upload, tables, sweep.tasks);
  result.warp_tasks = add_tasks(upload, tables, sweep.warp_tasks);
  result.count = static_cast<int>(sweep.tasks.size());
  return result;
}

/// Returns the source of entry e of L's half of a Hermitian A, as assemble() reads it: it is a conjugate if the stored entry
/// is in the other half.
std::int64_t hermitian_source(const FactorStructure& plan, std::size_t e) {
  const AssemblyMap& map = plan.assembly;
  const auto& old = plan.symbolic.permutation.old_of_new;
  return in_stored_half(map.upper, old[map.row[e]], old[map.column[e]]) ? map.source[e] : ~map.source[e];
}

const std::int64_t* add_hermitian_sources(Upload& upload, const FactorStructure& plan) {
  return add_each<std::int64_t>(upload, plan.assembly.source.size(),
                                [&plan](std::int64_t e) { return hermitian_source(plan, static_cast<std::size_t>(e)); });
}

}  // namespace

DevicePlan::DevicePlan(const CudaPlan& plan, const DevicePlanOptions& options, const std::shared_ptr<Allocator>& allocator)
    : launches_(plan.launches),
      inverse_merge_groups_(plan.solve.inverse_merge_groups),
      slab_(allocator, cuda_index_bytes(plan, options.request), "the index structures on the device"),
      order_slab_(allocator, cuda_order_bytes(plan), "the order of additions on the device") {
  const FactorStructure& structure = *plan.structure;
  ThreadTeam team(options.threads);
  std::optional<EntriesByRow> by_row;
  if (structure.general) by_row.emplace(structure.general->entries);
  if (options.request.ldlt) by_row.emplace(structure, options.is_hermitian);
  team.execute([&] {
    Upload upload(slab_);
    if (structure.general) add_columns(upload, structure.general->entries);
    if (by_row) {
      rows_of_a = {upload.add(by_row->offsets), upload.add(by_row->columns), upload.add(by_row->entry),
                   options.is_hermitian};
    }
    panel_counters = slab_.take<std::int32_t>(cuda_panel_counters(plan));
    const LaunchTables tables(structure);
    add_structure(upload, structure, options);
    if (structure.columns) {
      add_column_lists(upload, plan);
      return upload.run(team);
    }
    add_tables(upload, tables, plan);
    add_solve(upload, tables, plan, options.request.scalar);
    add_launches(upload);
    run.counters = panel_counters;
    run.claims = panel_counters + structure.symbolic.supernodes();
    upload.run(team);
  });
  if (order_slab_.size() == 0) return;
  tasks_added = order_slab_.take<std::int32_t>(structure.symbolic.order());
  claims = order_slab_.take<std::int32_t>(claims_per_level * static_cast<std::int64_t>(plan.fronts.levels.size()));
  order_bytes = order_slab_.used();
  tasks_before_row = order_slab_.upload(std::span<const std::int32_t>(launches_.tasks_before_row));
}

void DevicePlan::add_structure(Upload& upload, const FactorStructure& plan, const DevicePlanOptions& options) {
  const MemoryRequest& request = options.request;
  relative_rows = upload.add(plan.updates.relative_rows);
  rows = add_ids(upload, plan.symbolic.rows.data(), plan.symbolic.rows.size());
  source = options.is_hermitian ? add_hermitian_sources(upload, plan) : upload.add(plan.assembly.source);
  target = upload.add(plan.assembly.target);
  const auto& old = plan.symbolic.permutation.old_of_new;
  old_of_new = add_ids(upload, old.data(), old.size());
  if (plan.general) add_general(upload, plan);
  if (request.ldlt) add_column_rows(upload, plan);
  if (!request.keep_a) return;
  entry_row = add_ids(upload, plan.assembly.row.data(), plan.assembly.row.size());
  entry_column = add_ids(upload, plan.assembly.column.data(), plan.assembly.column.size());
}

EntriesByRow::EntriesByRow(const ColumnEntries& a)
    : offsets(static_cast<std::size_t>(a.n) + 1), entry(a.rows.size()), columns(a.rows.size()) {
  for (const std::int32_t row : a.rows) ++offsets[static_cast<std::size_t>(row) + 1];
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) offsets[i + 1] += offsets[i];
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::int32_t j = 0; j < a.n; ++j) {
    const auto end = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]);
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]); e < end; ++e) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(a.rows[e])]++);
      columns[at] = j;
      entry[at] = a.entry[e];
    }
  }
}

EntriesByRow::EntriesByRow(const FactorStructure& structure, bool is_hermitian)
    : offsets(static_cast<std::size_t>(structure.symbolic.order()) + 1) {
  const AssemblyMap& a = structure.assembly;
  const auto& old = structure.symbolic.permutation.old_of_new;
  const auto for_each = [&](const auto& body) {
    for (std::size_t e = 0; e < a.source.size(); ++e) {
      const std::int32_t row = old[a.row[e]].value;
      const std::int32_t column = old[a.column[e]].value;
      const std::int64_t source = is_hermitian ? hermitian_source(structure, e) : a.source[e];
      body(row, column, source);
      if (row != column) body(column, row, is_hermitian ? ~source : source);
    }
  };
  for_each([&](std::int32_t row, std::int32_t, std::int64_t) { ++offsets[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) offsets[i + 1] += offsets[i];
  columns.resize(static_cast<std::size_t>(offsets.back()));
  entry.resize(columns.size());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for_each([&](std::int32_t row, std::int32_t column, std::int64_t source) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
    columns[at] = column;
    entry[at] = source;
  });
}

/// Uploads A by columns. Precondition: the lists stay until the upload has run.
void DevicePlan::add_columns(Upload& upload, const ColumnEntries& by_column) {
  columns_of_a = {upload.add(by_column.offsets), upload.add(by_column.rows), upload.add(by_column.entry), false};
}

void DevicePlan::add_column_rows(Upload& upload, const FactorStructure& plan) {
  column_rows = add_each<std::int32_t>(upload, static_cast<std::size_t>(plan.symbolic.order()), [&plan](std::int64_t j) {
    const NewIndex column(j);
    const SupernodeId s = plan.symbolic.supernode_of[column];
    return plan.symbolic.front(s) - (column - plan.symbolic.first_column[s]);
  });
}

void DevicePlan::add_general(Upload& upload, const FactorStructure& plan) {
  const GeneralStructure& general = *plan.general;
  const auto n = static_cast<std::size_t>(plan.symbolic.order());
  old_row_of_new = add_ids(upload, general.old_row_of_new.data(), general.old_row_of_new.size());
  if (!plan.columns) add_column_rows(upload, plan);
  if (general.row_exponent.empty()) return;
  start_row = add_each<std::int32_t>(upload, n, [&general](std::int64_t k) {
    return general.row_exponent[static_cast<std::size_t>(general.old_row_of_new[NewIndex(k)].value)];
  });
  start_column = add_each<std::int32_t>(upload, n, [&general, &plan](std::int64_t k) {
    return general.column_exponent[static_cast<std::size_t>(plan.symbolic.permutation.old_of_new[NewIndex(k)].value)];
  });
}

void DevicePlan::add_tables(Upload& upload, const LaunchTables& tables, const CudaPlan& of_device) {
  const FactorStructure& plan = *of_device.structure;
  panels = add_each<PanelInfo>(upload, plan.symbolic.parent.size(),
                               [&tables](std::int64_t s) { return tables.panel(SupernodeId(s)); });
  updates = add_each<UpdateInfo>(upload, plan.updates.updates.size(),
                                 [&tables](std::int64_t u) { return tables.update(UpdateId(u)); });
  update_of_row = upload.add_generated<std::int32_t>(
      plan.symbolic.row_offset.back(),
      [&tables](std::int64_t first, std::int64_t last, std::int32_t* to) { tables.write_update_of_row(first, last, to); });
  const DeviceShare* const share = of_device.share.get();
  diagonal =
      add_each<std::int64_t>(upload, static_cast<std::size_t>(of_device.own_columns()), [&tables, share](std::int64_t j) {
        return tables.diagonal(share == nullptr ? NewIndex(j) : share->columns[static_cast<std::size_t>(j)]);
      });
}

void DevicePlan::add_solve(Upload& upload, const LaunchTables& tables, const CudaPlan& plan, ScalarType scalar) {
  const CudaSolvePlan& solve = plan.solve;
  gather = upload.add(solve.gather.rows);
  gather_more = upload.add(solve.gather.more);
  inverse_merges = upload.add(solve.inverse_merges);
  forward = add_sweep(upload, tables, solve.forward);
  backward = add_sweep(upload, tables, solve.backward);
  const OneRhsSweeps one_rhs = solve.one_rhs_sweeps(scalar);
  forward_one_rhs = add_sweep(upload, tables, one_rhs.forward);
  backward_one_rhs = add_sweep(upload, tables, one_rhs.backward);
  if (!plan.share) return;
  const CudaSolvePlan& top = plan.share->top;
  top_forward = add_sweep(upload, tables, top.forward);
  top_backward = add_sweep(upload, tables, top.backward);
  top_forward_one_rhs = add_sweep(upload, tables, top.one_rhs_sweeps(scalar).forward);
  top_backward_one_rhs = add_sweep(upload, tables, top.one_rhs_sweeps(scalar).backward);
}

void DevicePlan::add_column_lists(Upload& upload, const CudaPlan& plan) {
  const ColumnStructure& s = *plan.structure->columns;
  const ColumnLaunches& l = *plan.columns;
  diagonal = add_each<std::int64_t>(upload, static_cast<std::size_t>(s.n),
                                    [&s](std::int64_t k) { return s.diagonal(static_cast<std::int32_t>(k)); });
  column_lists = {upload.add(s.row_offset), upload.add(s.lower),           upload.add(s.upper),
                  upload.add(s.columns),    upload.add(s.column_offset),   upload.add(s.rows),
                  upload.add(s.position),   upload.add(s.before),          upload.add(s.above),
                  upload.add(l.tasks),      upload.add(l.sources),         upload.add(l.level_tasks),
                  upload.add(l.solve),      upload.add(l.solve_transposed)};
}

void DevicePlan::add_launches(Upload& upload) {
  tiny = upload.add(launches_.tiny);
  small = upload.add(launches_.small);
  run.fronts = upload.add(launches_.run.fronts);
  run.groups = upload.add(launches_.run.groups);
  run.count = static_cast<std::int32_t>(launches_.run.groups.size());
  run.entries = launches_.run.entries;
  diagonal_blocks = upload.add(launches_.diagonal);
  scale = upload.add(launches_.scale);
  product = upload.add(launches_.product);
}

}  // namespace gpusupernodal::cuda
