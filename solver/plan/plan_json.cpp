#include "solver/plan/plan_json.hpp"

#include <array>

#include "gpusupernodal/names.hpp"
#include "solver/plan/json_text.hpp"

namespace gpusupernodal {
namespace {

/// Number of supernodes by width: 1–2, 3–4, 5–8, …
void describe_widths(JsonText& json, const SymbolicFactor& factor) {
  std::array<std::int64_t, 32> counts{};
  for (SupernodeId s : factor.supernode_ids()) {
    std::size_t bin = 0;
    while ((std::int64_t{2} << bin) < factor.width(s)) ++bin;
    ++counts[bin];
  }
  json.open("widths", '[');
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] == 0) continue;
    json.open("");
    json.add("width_up_to", std::int64_t{2} << bin);
    json.add("supernodes", counts[bin]);
    json.close();
  }
  json.close(']');
}

struct KindTotal {
  std::int64_t tasks = 0;
  double flops = 0.0;
};

void describe(JsonText& json, const Schedule& schedule) {
  std::array<KindTotal, static_cast<std::size_t>(TaskKind::complete) + 1> kinds{};
  double total = 0.0;
  for (const Task& task : schedule.graph.tasks) {
    KindTotal& kind = kinds[static_cast<std::size_t>(task.kind)];
    ++kind.tasks;
    kind.flops += task.flops;
    total += task.flops;
  }
  const double critical = schedule.graph.critical_path_flops;
  json.open("schedule");
  json.add("leaf_subtrees", static_cast<std::int64_t>(schedule.subtrees.size()) - schedule.chains);
  json.add("chains", schedule.chains);
  json.add("block_columns", schedule.block_columns.size());
  json.add("block_width", schedule.options.block_width);
  json.add("tasks", schedule.graph.tasks.size());
  json.add("dependencies", schedule.graph.successors.size());
  json.add("flops", total);
  json.add("critical_path_flops", critical);
  json.add("parallelism", critical > 0.0 ? total / critical : 1.0);
  json.open("kinds");
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].tasks == 0) continue;
    json.open(name_of(static_cast<TaskKind>(kind)));
    json.add("tasks", kinds[kind].tasks);
    json.add("flops", kinds[kind].flops);
    json.close();
  }
  json.close();
  json.close();
}

void describe(JsonText& json, const MemoryEstimate& memory) {
  json.open("memory");
  json.add("factor", memory.factor);
  json.add("index", memory.index);
  json.add("workspace", memory.workspace);
  json.add("total", memory.total());
  json.close();
}

void describe_host(JsonText& json, const HostPlan& plan) {
  json.open("host");
  describe(json, plan.schedule);
  describe(json, plan.memory({}));
  json.close();
}

/// What LU by columns has in place of supernodes.
void describe(JsonText& json, const ColumnStructure& columns) {
  json.open("columns");
  json.add("diagonal_blocks", columns.block_ends.size());
  json.add("levels_of_rows", static_cast<std::int64_t>(columns.level_offset.size()) - 1);
  json.add("nonzeros_u", columns.nonzeros_u);
  json.add("tail", columns.tail());
  json.add("tail_flops", columns.tail_flops);
  json.close();
}

/// What LU on dense storage has in place of supernodes.
void describe(JsonText& json, const DenseStructure& dense) {
  json.open("dense");
  json.add("leading_dimension", dense.ld);
  json.add("panels", dense.panels());
  json.add("panel_width", dense.panel);
  json.close();
}

/// Numbers of tasks in the launches, by kind.
void describe(JsonText& json, const cuda::LaunchPlan& launches, std::size_t inverse_merges) {
  json.open("launches");
  json.add("levels", launches.levels.size());
  json.add("whole_fronts_by_warp", launches.tiny.size());
  json.add("whole_fronts_by_cta", launches.small.size());
  json.add("whole_fronts_in_one_launch", launches.run.fronts.size());
  json.add("diagonal_blocks", launches.diagonal.size());
  json.add("row_tiles", launches.scale.size());
  json.add("product_tiles", launches.product.size());
  json.add("wider_inverses", inverse_merges);
  json.close();
}

void describe(JsonText& json, const cuda::ColumnLaunches& launches) {
  json.open("launches");
  json.add("levels", launches.levels());
  json.add("launches", launches.launches.size());
  json.add("merged_levels", launches.merged_levels());
  json.add("solve_steps", launches.solve.size());
  json.add("solve_levels", launches.solve_levels);
  json.close();
}

void describe_cuda(JsonText& json, const CudaPlan& plan) {
  const PlannedWork work = plan.work();
  json.open("cuda");
  if (plan.options.schedule == CudaSchedule::streams) describe(json, plan.schedule);
  if (plan.columns) {
    describe(json, *plan.columns);
  } else {
    describe(json, plan.launches, plan.solve.inverse_merges.size());
  }
  json.add("tasks", work.tasks);
  json.add("critical_path_flops", work.critical_path_flops);
  describe(json, plan.memory({}));
  json.close();
}

}  // namespace

std::string describe_json(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  const ColumnStructure* const columns = plan.structure().columns.get();
  const DenseStructure* const dense = plan.structure().dense.get();
  JsonText json;
  json.open("");
  json.add("n", factor.order());
  json.add("entries_of_a_read", plan.assembly.source.size());
  json.add("ordering", name_of(plan.structure().symbolic_report.ordering));
  json.add("ordering_reason", plan.structure().symbolic_report.reason);
  json.add("nonzeros_l", factor.nonzeros);
  // By columns and on dense storage, L and U share their storage.
  json.add("stored_l", columns || dense ? plan.structure().factor_values() : plan.panels.values());
  json.add("flops", factor.flops);
  json.add("stored_flops", plan.structure().stored_flops);
  json.add("supernodes", factor.supernodes());
  json.add("largest_width", plan.structure().shape.largest_width);
  json.add("largest_front", plan.structure().shape.largest_front);
  json.add("tree_height", plan.structure().shape.height);
  json.add("updates", plan.updates.updates.size());
  json.add("relative_indices", plan.updates.relative_rows.size());
  describe_widths(json, factor);
  if (columns != nullptr) describe(json, *columns);
  if (dense != nullptr) describe(json, *dense);
  describe_host(json, plan.host());
  if (plan.cuda_plan()) describe_cuda(json, plan.cuda());
  json.close();
  return json.text();
}

}  // namespace gpusupernodal
