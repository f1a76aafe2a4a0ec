#include "solver/plan/schedule.hpp"

#include "solver/plan/factor_graph.hpp"
#include "solver/plan/leaf_subtrees.hpp"
#include "solver/plan/tile_grid.hpp"

namespace gpusupernodal {

Schedule build_schedule(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options) {
  Schedule schedule;
  schedule.options = options;
  cut_leaf_subtrees(factor, options, schedule);
  const TileGrid grid(factor, options.block_width, schedule);
  schedule.graph = build_factor_graph(factor, updates, grid, schedule);
  return schedule;
}

}  // namespace gpusupernodal
