#include "solver/factor/schedule.hpp"

#include "solver/factor/chains.hpp"
#include "solver/factor/factor_graph.hpp"
#include "solver/factor/leaf_subtrees.hpp"
#include "solver/factor/partial_schedule.hpp"
#include "solver/factor/tile_grid.hpp"

namespace gpusupernodal {

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

Schedule cut_schedule(const SymbolicFactor& factor, const ScheduleOptions& options) {
  Schedule schedule;
  schedule.options = options;
  cut_leaf_subtrees(factor, options, schedule);
  TileGrid(factor, options, schedule);
  return schedule;
}

Schedule build_partial_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
                                SupernodeId unfactored, ThreadTeam& team) {
  Schedule schedule;
  schedule.options = options;
  cut_leaf_subtrees(factor, options, schedule);
  join_chains(factor, updates, options, schedule, unfactored);
  const TileGrid grid(factor, options, schedule);
  schedule.graph = build_factor_graph(factor, updates, grid, schedule, team, unfactored);
  return schedule;
}

Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
                        ThreadTeam& team) {
  return build_partial_schedule(factor, updates, options, SupernodeId(), team);
}

Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options) {
  ThreadTeam one(1);
  return build_schedule(factor, updates, options, one);
}

}  // namespace gpusupernodal
