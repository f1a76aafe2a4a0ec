#include "solver/plan/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {
namespace {

// Below this much work a worker, waking it costs more than it brings.
constexpr double flops_worth_a_worker = 2e6;
constexpr double values_worth_a_worker = 1e5;
constexpr double permuted_entries_worth_a_worker = 5e4;
// Where tasks that wait for one another have more of the work than this, several workers save too little.
constexpr double longest_path_worth_one_worker = 0.9;

int workers_for(double flops, int threads) {
  return static_cast<int>(std::clamp(flops / flops_worth_a_worker, 1.0, static_cast<double>(threads)));
}

/// The most of `weight(width)` that supernodes on one path of the assembly tree add up to.
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

/// All but solve_steps, for which a plan for the device would have to be made.
CostFeatures features_without_steps(const FactorPlan& plan) {
  CostFeatures features;
  features.flops = plan.stored_flops;
  features.critical_flops = plan.host_schedule.graph.critical_path_flops;
  features.values = static_cast<double>(plan.panels.values());
  features.entries = static_cast<double>(plan.assembly.entries_of_a);
  features.order = plan.symbolic.order();
  features.updates = static_cast<double>(plan.updates.updates.size());
  features.supernodes = plan.symbolic.supernodes();
  features.levels = longest_path(plan.symbolic, [](std::int32_t width) { return cuda_pieces(width); });
  features.path_columns = longest_path(plan.symbolic, [](std::int32_t width) { return width; });
  return features;
}

double host_seconds(const CostFeatures& features, const CostFigures& figures, int threads, std::int64_t scalar_bytes) {
  return host_factor_seconds(features, figures.host, threads, scalar_bytes) +
         host_solve_seconds(features, figures.host, threads, scalar_bytes);
}

double cuda_seconds(const CostFeatures& features, const CostFigures& figures, std::int64_t scalar_bytes) {
  return cuda_factor_seconds(features, figures.cuda, scalar_bytes) +
         cuda_solve_seconds(features, figures.cuda, scalar_bytes);
}

}  // namespace

int host_factor_workers(const FactorPlan& plan, int threads) {
  const double longest = plan.host_schedule.graph.critical_path_flops;
  if (longest > longest_path_worth_one_worker * plan.stored_flops) return 1;
  return workers_for(plan.stored_flops, threads);
}

int host_solve_workers(double order, double values, double columns, int threads) {
  const double useful = columns * std::max(order / permuted_entries_worth_a_worker, values / values_worth_a_worker);
  return static_cast<int>(std::clamp(useful, 1.0, static_cast<double>(threads)));
}

CostFeatures cost_features(const FactorPlan& plan) {
  CostFeatures features = features_without_steps(plan);
  const CudaSolvePlan& solve = plan.cuda().solve;
  features.solve_steps = static_cast<double>(solve.forward_single.longest_path + solve.backward_single.longest_path);
  return features;
}

double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes) {
  const double rate = (scalar_bytes == 4 ? 2.0 : 1.0) * figures.flops_per_second;
  const int workers = workers_for(plan.flops, threads);
  const double work = plan.flops / rate + plan.values * figures.seconds_per_value +
                      plan.updates * figures.seconds_per_update + plan.supernodes * figures.seconds_per_supernode;
  if (workers == 1) return figures.seconds_fixed + work;
  // The longest path bounds the time from below; what runs beside it is seldom all hidden.
  return figures.seconds_fixed + (workers - 1) * figures.seconds_per_worker +
         plan.values * static_cast<double>(scalar_bytes) / sizeof(double) * figures.shared_seconds_per_value +
         std::max(work / workers, plan.critical_flops / rate + work / (8.0 * workers));
}

double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, std::int64_t scalar_bytes) {
  const int workers = host_solve_workers(plan.order, plan.values, 1.0, threads);
  const double bytes_read = 2.0 * plan.values * static_cast<double>(scalar_bytes);
  const double work = plan.order * figures.solve_seconds_per_row + bytes_read / figures.solve_bytes_per_second;
  return figures.solve_seconds_fixed + std::log2(workers) * figures.solve_seconds_per_doubling + work / workers +
         bytes_read / figures.solve_shared_bytes_per_second;
}

double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes) {
  const auto bytes = static_cast<double>(scalar_bytes);
  return figures.seconds_fixed + plan.levels * figures.seconds_per_level + plan.path_columns * figures.seconds_per_column +
         plan.flops / figures.flops_per_second + plan.values * bytes / figures.bytes_per_second +
         plan.entries * bytes / figures.transfer_bytes_per_second;
}

double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, std::int64_t scalar_bytes) {
  const auto bytes = static_cast<double>(scalar_bytes);
  return figures.solve_seconds_fixed + plan.solve_steps * figures.solve_seconds_per_step +
         2.0 * plan.values * bytes / figures.solve_bytes_per_second +
         2.0 * plan.order * bytes / figures.solve_transfer_bytes_per_second;
}

CostEstimate estimate_cost(const FactorPlan& plan, const CostFigures& figures, int host_threads, std::int64_t scalar_bytes) {
  const CostFeatures features = features_without_steps(plan);
  CostEstimate cost;
  cost.host = host_seconds(features, figures, host_threads, scalar_bytes);
  cost.cuda = cuda_seconds(features, figures, scalar_bytes);
  cost.cuda_is_more = cost.host <= cost.cuda;
  if (!cost.cuda_is_more) cost.cuda = cuda_seconds(cost_features(plan), figures, scalar_bytes);
  return cost;
}

}  // namespace gpusupernodal
