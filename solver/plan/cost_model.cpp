#include "solver/plan/cost_model.hpp"

#include <algorithm>

#include "solver/plan/cuda_tiling.hpp"

namespace gpusupernodal {
namespace {

// Host: a thread's rate at large products, and what an entry of L, an update and a supernode cost beside their arithmetic.
constexpr double host_flops_per_second = 3e10;
constexpr double host_seconds_per_entry = 1.0e-9;
constexpr double host_seconds_per_update = 1.5e-7;
constexpr double host_seconds_per_supernode = 4e-8;
constexpr double host_bytes_per_second = 6e10;  // Of L, in a solve, by all threads.
constexpr double host_seconds_fixed = 2e-6;
constexpr double host_seconds_per_worker = 2.5e-5;  // To wake it and wait for it.
// Below this much work a worker, waking it costs more than it brings.
constexpr double flops_worth_a_worker = 2e6;

// CUDA: what a level's launches take, the rate at large products, the traffic of zeroing, assembling and adding.
constexpr double cuda_seconds_per_level = 4e-5;
constexpr double cuda_flops_per_second = 4e13;
constexpr double cuda_bytes_per_second = 2.5e11;
constexpr double cuda_solve_seconds_per_launch = 5.5e-6;
constexpr double cuda_solve_bytes_per_second = 2e12;  // Of L, which is read twice.
constexpr double cuda_upload_bytes_per_second = 7e9;  // Pageable memory.
constexpr double cuda_seconds_fixed = 1e-4;

/// Levels of 64-column pieces on the longest path of the assembly tree.
std::int64_t cuda_levels(const SymbolicFactor& factor) {
  IdVector<SupernodeId, std::int64_t> first(static_cast<std::size_t>(factor.supernodes()), 0);
  std::int64_t levels = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int64_t next = first[s] + cuda_pieces(factor.width(s));
    levels = std::max(levels, next);
    const SupernodeId parent = factor.parent[s];
    if (parent.valid()) first[parent] = std::max(first[parent], next);
  }
  return levels;
}

}  // namespace

int host_factor_workers(const FactorPlan& plan, int threads) {
  return static_cast<int>(std::clamp(plan.stored_flops / flops_worth_a_worker, 1.0, static_cast<double>(threads)));
}

CostEstimate estimate_cost(const FactorPlan& plan, int host_threads, std::int64_t scalar_bytes) {
  const auto values = static_cast<double>(plan.panels.values());
  const auto updates = static_cast<double>(plan.updates.updates.size());
  const double critical = plan.host_schedule.graph.critical_path_flops;
  const double host_rate = (scalar_bytes == 4 ? 2.0 : 1.0) * host_flops_per_second;
  const int workers = host_factor_workers(plan, host_threads);
  CostEstimate cost;
  const double work = plan.stored_flops / host_rate + values * host_seconds_per_entry + updates * host_seconds_per_update +
                      plan.symbolic.supernodes() * host_seconds_per_supernode;
  // The longest path bounds the time from below; what runs beside it is seldom all hidden.
  cost.host = host_seconds_fixed + (workers - 1) * host_seconds_per_worker +
              std::max(work / workers, critical / host_rate + work / (8.0 * workers));
  cost.host += 2.0 * values * static_cast<double>(scalar_bytes) / host_bytes_per_second;
  const auto bytes = values * static_cast<double>(scalar_bytes);
  cost.cuda = cuda_seconds_fixed + static_cast<double>(cuda_levels(plan.symbolic)) * cuda_seconds_per_level +
              plan.stored_flops / cuda_flops_per_second + bytes / cuda_bytes_per_second;
  const auto launches = static_cast<double>(plan.cuda_solve.forward.levels.size() + plan.cuda_solve.backward.levels.size());
  cost.cuda += launches * cuda_solve_seconds_per_launch + 2.0 * bytes / cuda_solve_bytes_per_second +
               static_cast<double>(plan.assembly.entries_of_a * scalar_bytes) / cuda_upload_bytes_per_second;
  return cost;
}

}  // namespace gpusupernodal
