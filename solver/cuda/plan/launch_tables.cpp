#include <algorithm>

#include "solver/cuda/plan/launch_plan.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal::cuda {

PanelInfo LaunchTables::panel(SupernodeId s) const {
  const SymbolicFactor& factor = plan_.symbolic;
  PanelInfo info;
  info.offset = plan_.panels.value_offset[s];
  info.rows = factor.row_offset[s];
  info.first_column = factor.first_column[s].value;
  info.width = factor.width(s);
  info.front = factor.front(s);
  info.ld = plan_.panels.ld[s];
  return info;
}

UpdateInfo LaunchTables::update(UpdateId u) const {
  const Update& update = plan_.updates.updates[u];
  UpdateInfo info;
  info.target = plan_.panels.value_offset[update.target];
  info.relative = update.relative - update.row_begin - plan_.symbolic.width(update.source);
  info.ld = plan_.panels.ld[update.target];
  return info;
}

void LaunchTables::write_update_of_row(std::int64_t first, std::int64_t last, std::int32_t* to) const {
  const auto& offset = plan_.symbolic.row_offset;
  const auto found = std::upper_bound(offset.begin(), offset.end(), first) - offset.begin();
  for (SupernodeId s(found - 1); offset[s] < last; ++s) {
    for (const UpdateId u : plan_.updates.from_source(s)) {
      const Update& update = plan_.updates.updates[u];
      const std::int64_t begin = std::max(first, offset[s] + update.row_begin);
      const std::int64_t end = std::min(last, offset[s] + update.row_end);
      for (std::int64_t i = begin; i < end; ++i) to[i - first] = u.value;
    }
  }
}

std::int64_t LaunchTables::diagonal(NewIndex j) const {
  const SupernodeId s = plan_.symbolic.supernode_of[j];
  const std::int32_t column = j - plan_.symbolic.first_column[s];
  return plan_.panels.index(s, column, column);
}

}  // namespace gpusupernodal::cuda
