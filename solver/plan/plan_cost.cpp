#include "solver/plan/plan_cost.hpp"

#include <algorithm>
#include <limits>

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

namespace {

/// Seconds of a refactorize and a solve by columns, fitted to bench/notebook/lu-columns.md.
CostEstimate estimate_columns(const FactorPlan& plan, ScalarType scalar) {
  constexpr double device_start = 4e-5, launch = 7e-6, merged_level = 2.0e-6, strip = 9e-6, solve_step = 2.6e-6;
  constexpr double device_flop = 1e-11, device_value = 3e-11;
  const ColumnStructure& s = *plan.structure().columns;
  CostEstimate cost;
  cost.host = host_column_seconds(static_cast<double>(s.values()), s.flops, scalar);
  cost.cuda = device_start + device_flop * s.flops + device_value * static_cast<double>(s.values()) +
              strip * s.tail() / cuda::tail_block;
  if (is_complex(scalar)) cost.cuda = std::numeric_limits<double>::infinity();  // There are no kernels for it.
  cost.cuda_is_lower_bound = !plan.cuda_plan();
  if (cost.cuda_is_lower_bound) {
    cost.cuda += (merged_level + 2.0 * solve_step) * static_cast<double>(s.level_offset.size());
  } else {
    const cuda::ColumnLaunches& l = *plan.cuda().columns;
    cost.cuda += launch * static_cast<double>(l.launches.size()) + merged_level * static_cast<double>(l.merged_levels()) +
                 solve_step * static_cast<double>(l.solve_levels);
  }
  return cost;
}

/// Operations of complex scalars count as those of real ones, of which they have four times as many.
CostFeatures in_real_flops(CostFeatures features, ScalarType scalar) {
  if (!is_complex(scalar)) return features;
  constexpr double real_flops = 4.0;
  features.flops *= real_flops;
  features.critical_flops *= real_flops;
  return features;
}

}  // namespace

double host_column_seconds(double values, double flops, ScalarType scalar) {
  constexpr double host_flop = 1e-10, host_value = 7e-9;
  return (is_complex(scalar) ? 4.0 : 1.0) * (host_flop * flops + host_value * values);
}

/// Measured times of full matrices, relative to those by supernodes, are a little lower than the model says
/// (bench/notebook/lu-dense.md).
double dense_lu_seconds(const DenseStructure& dense, const PlannedWork& work, const CostModel& model, int host_threads,
                        ScalarType scalar) {
  CostFeatures features;
  features.flops = dense.flops() / 2.0;  // As for LU by supernodes, whose plan counts one of the two partners.
  features.critical_flops = work.critical_path_flops;
  features.values = static_cast<double>(dense.values()) / 2.0;
  features.order = dense.n;
  return 2.0 * model.host_seconds(in_real_flops(features, scalar), host_threads, scalar);
}

CostEstimate estimate_cost(const FactorPlan& plan, const CostModel& model, int host_threads, ScalarType scalar) {
  if (plan.structure().columns) return estimate_columns(plan, scalar);
  CostEstimate cost;
  if (plan.structure().dense) {
    cost.host = dense_lu_seconds(*plan.structure().dense, plan.host().work(), model, host_threads, scalar);
    cost.cuda = std::numeric_limits<double>::infinity();
    return cost;
  }
  cost.cuda_is_lower_bound = !plan.cuda_plan();
  const CostFeatures features =
      in_real_flops(cost.cuda_is_lower_bound ? cost_features_without_steps(plan) : cost_features(plan), scalar);
  cost.host = (plan.structure().general ? 2.0 : 1.0) * model.host_seconds(features, host_threads, scalar);
  cost.cuda = model.device_seconds(features, scalar);
  return cost;
}

}  // namespace gpusupernodal
