#include "solver/exec/cuda/launch_plan.hpp"

namespace gpusupernodal::cuda {
namespace {

PanelInfo panel_info(const FactorPlan& plan, SupernodeId s) {
  const SymbolicFactor& factor = plan.symbolic;
  PanelInfo info;
  info.offset = plan.panels.value_offset[s];
  info.rows = factor.row_offset[s];
  info.first_column = factor.first_column[s].value;
  info.width = factor.width(s);
  info.front = factor.front(s);
  info.ld = plan.panels.ld[s];
  return info;
}

}  // namespace

LaunchTables build_launch_tables(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  LaunchTables tables;
  tables.panels.reserve(static_cast<std::size_t>(factor.supernodes()));
  tables.diagonal.reserve(static_cast<std::size_t>(factor.order()));
  for (SupernodeId s : factor.supernode_ids()) {
    const PanelInfo info = panel_info(plan, s);
    tables.panels.push_back(info);
    for (std::int32_t j = 0; j < info.width; ++j) {
      tables.diagonal.push_back(info.offset + j * (static_cast<std::int64_t>(info.ld) + 1));
    }
  }
  tables.updates.reserve(plan.updates.updates.size());
  tables.update_of_row.assign(factor.rows.size(), -1);
  for (UpdateId u : plan.updates.updates.ids()) {
    const Update& update = plan.updates.updates[u];
    UpdateInfo info;
    info.target = plan.panels.value_offset[update.target];
    info.relative = update.relative - update.row_begin - factor.width(update.source);
    info.ld = plan.panels.ld[update.target];
    tables.updates.push_back(info);
    const std::int64_t first = factor.row_offset[update.source];
    for (std::int32_t i = update.row_begin; i < update.row_end; ++i) {
      tables.update_of_row[static_cast<std::size_t>(first + i)] = u.value;
    }
  }
  return tables;
}

}  // namespace gpusupernodal::cuda
