#include "solver/plan/cost_model.hpp"

#include <algorithm>

namespace gpusupernodal {
namespace {

// Host: a thread's rate at large products, what an entry of L and an update cost beside their arithmetic.
constexpr double host_flops_per_second = 3e10;
constexpr double host_seconds_per_entry = 1.0e-9;
constexpr double host_seconds_per_update = 1.5e-7;
constexpr double host_seconds_fixed = 2e-5;

// CUDA: launches of a level of the leaf subtrees and of a task above them, rate at large products, memory traffic.
constexpr double cuda_seconds_per_level = 3e-5;
constexpr double cuda_seconds_per_task = 6e-6;
constexpr double cuda_flops_per_second = 2e13;
constexpr double cuda_bytes_per_second = 1e12;
constexpr double cuda_seconds_fixed = 2e-4;

/// Levels that the leaf subtrees of the CUDA schedule need: the greatest height within one.
std::int64_t subtree_levels(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  IdVector<SupernodeId, std::int64_t> height(static_cast<std::size_t>(factor.supernodes()), 1);
  std::int64_t levels = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    if (!plan.cuda_schedule.in_subtree(s)) continue;
    levels = std::max(levels, height[s]);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) height[parent] = std::max(height[parent], height[s] + 1);
  }
  return levels;
}

}  // namespace

CostEstimate estimate_cost(const FactorPlan& plan, int host_threads, std::int64_t scalar_bytes) {
  const auto values = static_cast<double>(plan.panels.values());
  const auto updates = static_cast<double>(plan.updates.updates.size());
  const double critical = plan.host_schedule.graph.critical_path_flops;
  const double single = scalar_bytes == 4 ? 2.0 : 1.0;
  CostEstimate cost;
  const double work = plan.stored_flops / (single * host_flops_per_second) + values * host_seconds_per_entry +
                      updates * host_seconds_per_update;
  cost.host = host_seconds_fixed +
              std::max(work / host_threads, critical / (single * host_flops_per_second) + work / (8.0 * host_threads));
  const auto bytes = values * static_cast<double>(scalar_bytes);
  cost.cuda = cuda_seconds_fixed + static_cast<double>(subtree_levels(plan)) * cuda_seconds_per_level +
              static_cast<double>(plan.cuda_schedule.graph.tasks.size()) * cuda_seconds_per_task +
              plan.stored_flops / cuda_flops_per_second + bytes / cuda_bytes_per_second;
  return cost;
}

}  // namespace gpusupernodal
