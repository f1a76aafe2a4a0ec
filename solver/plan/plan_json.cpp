#include "solver/plan/plan_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gpusupernodal/names.hpp"

namespace gpusupernodal {
namespace {

using nlohmann::json;

/// Number of supernodes, and their share of the operations, by width: 1–2, 3–4, 5–8, …
json width_histogram(const SymbolicFactor& factor) {
  std::array<std::int64_t, 32> counts{};
  for (SupernodeId s : factor.supernode_ids()) {
    std::size_t bin = 0;
    while ((std::int64_t{2} << bin) < factor.width(s)) ++bin;
    ++counts[bin];
  }
  json bins = json::array();
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] > 0) bins.push_back({{"width_up_to", std::int64_t{2} << bin}, {"supernodes", counts[bin]}});
  }
  return bins;
}

const char* name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::factor_subtree:
      return "factor_subtree";
    case TaskKind::assemble:
      return "assemble";
    case TaskKind::update_between:
      return "update_between";
    case TaskKind::update_internal:
      return "update_internal";
    case TaskKind::scale_diagonal:
      return "scale_diagonal";
    case TaskKind::scale_below:
      return "scale_below";
    case TaskKind::complete:
      return "complete";
  }
  return "unknown";
}

json describe(const Schedule& schedule) {
  json kinds = json::object();
  double total = 0.0;
  for (const Task& task : schedule.graph.tasks) {
    json& kind = kinds[name_of(task.kind)];
    if (kind.is_null()) kind = {{"tasks", 0}, {"flops", 0.0}};
    kind["tasks"] = kind["tasks"].get<std::int64_t>() + 1;
    kind["flops"] = kind["flops"].get<double>() + task.flops;
    total += task.flops;
  }
  const double critical = schedule.graph.critical_path_flops;
  return {{"leaf_subtrees", schedule.subtrees.size()},
          {"block_columns", schedule.block_columns.size()},
          {"block_width", schedule.options.block_width},
          {"tasks", schedule.graph.tasks.size()},
          {"dependencies", schedule.graph.successors.size()},
          {"flops", total},
          {"critical_path_flops", critical},
          {"parallelism", critical > 0.0 ? total / critical : 1.0},
          {"kinds", kinds}};
}

json describe(const MemoryEstimate& memory) {
  return {{"factor", memory.factor}, {"index", memory.index}, {"workspace", memory.workspace}, {"total", memory.total()}};
}

}  // namespace

std::string describe_json(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  const json description = {
      {"n", factor.order()},
      {"entries_of_a_read", plan.assembly.source.size()},
      {"ordering", name_of(plan.symbolic_report.ordering)},
      {"ordering_reason", plan.symbolic_report.reason},
      {"nonzeros_l", factor.nonzeros},
      {"stored_l", plan.panels.values()},
      {"flops", factor.flops},
      {"stored_flops", plan.stored_flops},
      {"supernodes", factor.supernodes()},
      {"largest_width", plan.shape.largest_width},
      {"largest_front", plan.shape.largest_front},
      {"tree_height", plan.shape.height},
      {"updates", plan.updates.updates.size()},
      {"relative_indices", plan.updates.relative_rows.size()},
      {"widths", width_histogram(factor)},
      {"host", {{"schedule", describe(plan.host_schedule)}, {"memory", describe(plan.memory(Backend::host, 8, false))}}},
      {"cuda", {{"schedule", describe(plan.cuda_schedule)}, {"memory", describe(plan.memory(Backend::cuda, 8, false))}}}};
  return description.dump(2);
}

}  // namespace gpusupernodal
