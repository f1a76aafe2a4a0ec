#include "solver/plan/forest_cost.hpp"

#include <algorithm>

#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/cuda/plan/fronts.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int64_t bytes = sizeof(double);
constexpr int usual_threads = 16;

constexpr StepRule factor_rule{cuda::tile_size, cuda::tile_size, 1};
/// Steps in one direction: one for a front that a single CTA processes, two per block of a wider front.
constexpr StepRule solve_rule{cuda::tile_size, cuda::solve_block, 2};

/// Seconds to factorize one value of L and solve with it, without launches.
double seconds_per_value(const LaunchFigures& figures) {
  return bytes * (1.0 / figures.bytes_per_second + 2.0 / figures.solve_bytes_per_second);
}

CostFeatures features_of(const SupernodeForest& forest) {
  CostFeatures features;
  IdVector<SupernodeId, std::int64_t> below(forest.parent.size(), 0);
  for (SupernodeId s : forest.ids()) {
    const auto width = static_cast<double>(forest.width(s));
    const auto rows = static_cast<double>(forest.rows_below[s]);
    features.values += width * (width + rows);
    features.flops += width * (width * width / 3 + width * rows + rows * rows);
    const std::int64_t steps = below[s] + solve_rule.steps(forest.width(s));
    features.solve_steps = std::max(features.solve_steps, 2.0 * static_cast<double>(steps));
    const SupernodeId parent = forest.parent[s];
    if (parent.valid()) below[parent] = std::max(below[parent], steps);
  }
  features.order = forest.first_column.back().value;
  features.supernodes = static_cast<double>(forest.parent.size());
  features.updates = features.supernodes;  // At least one per supernode.
  return features;
}

}  // namespace

double device_seconds(const SupernodeForest& forest, const CostFigures& figures) {
  const CostFeatures features = features_of(forest);
  return plan_cuda_fronts(forest, figures.launch).seconds + features.solve_steps * figures.cuda.solve_seconds_per_step +
         features.values * seconds_per_value(figures.launch);
}

double host_seconds(const SupernodeForest& forest, const HostFigures& figures) {
  const CostFeatures features = features_of(forest);
  return host_factor_seconds(features, figures, usual_threads, bytes) +
         host_solve_seconds(features, figures, usual_threads, bytes);
}

PathCost path_cost(const CostFigures& figures, bool may_take_host) {
  PathCost cost;
  cost.factor = factor_rule;
  cost.solve = solve_rule;
  cost.seconds_per_solve_step = 2.0 * figures.cuda.solve_seconds_per_step;
  cost.seconds_per_level = cuda_level_seconds(cuda_piece_work(cuda::tile_size, 4 * cuda::tile_size, 0), figures.launch);
  cost.seconds_per_value = seconds_per_value(figures.launch);
  cost.seconds_per_flop = 1.0 / figures.cuda.flops_per_second;
  cost.seconds = [figures](const SupernodeForest& forest) { return device_seconds(forest, figures); };
  if (may_take_host)
    cost.host_seconds = [host = figures.host](const SupernodeForest& forest) { return host_seconds(forest, host); };
  return cost;
}

}  // namespace gpusupernodal
