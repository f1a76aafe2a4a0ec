#include "solver/plan/plan_cost.hpp"

#include <algorithm>

#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal {
namespace {

/// The largest sum of weight(width) over the supernodes on one path of the assembly tree.
template <class Weight>
double longest_path(const SymbolicFactor& factor, const Weight& weight) {
  IdVector<SupernodeId, std::int64_t> below(static_cast<std::size_t>(factor.supernodes()), 0);
  std::int64_t longest = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int64_t sum = below[s] + weight(factor.width(s));
    longest = std::max(longest, sum);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) below[parent] = std::max(below[parent], sum);
  }
  return static_cast<double>(longest);
}

}  // namespace

CostFeatures cost_features_without_steps(const FactorPlan& plan) {
  CostFeatures features;
  features.flops = plan.structure().stored_flops;
  features.critical_flops = plan.host().schedule.graph.critical_path_flops;
  features.values = static_cast<double>(plan.panels.values());
  features.entries = static_cast<double>(plan.assembly.entries_of_a);
  features.order = plan.symbolic.order();
  features.updates = static_cast<double>(plan.updates.updates.size());
  features.supernodes = plan.symbolic.supernodes();
  features.levels = longest_path(plan.symbolic, [](std::int32_t width) { return cuda::piece_count(width); });
  features.path_columns = longest_path(plan.symbolic, [](std::int32_t width) { return width; });
  return features;
}

CostFeatures cost_features(const FactorPlan& plan) {
  CostFeatures features = cost_features_without_steps(plan);
  const CudaSolvePlan& solve = plan.cuda().solve;
  features.solve_steps = static_cast<double>(solve.forward_one_rhs.longest_path + solve.backward_one_rhs.longest_path);
  return features;
}

CostEstimate estimate_cost(const FactorPlan& plan, const CostModel& model, int host_threads, ScalarType scalar) {
  CostEstimate cost;
  cost.cuda_is_lower_bound = !plan.cuda_plan();
  const CostFeatures features = cost.cuda_is_lower_bound ? cost_features_without_steps(plan) : cost_features(plan);
  cost.host = model.host_seconds(features, host_threads, scalar);
  cost.cuda = model.device_seconds(features, scalar);
  return cost;
}

}  // namespace gpusupernodal
