#include "solver/plan/factor_plan.hpp"

#include <algorithm>

#include "gpusupernodal/error.hpp"
#include "solver/plan/cuda_memory.hpp"
#include "solver/plan/host_memory.hpp"
#include "solver/plan/task_flops.hpp"
#include "solver/symbolic/fail.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t host_block_width = 256;
constexpr std::int32_t cuda_block_width = 1024;
constexpr std::int32_t cuda_subtree_width = 64;
// Enough subtrees for 16 threads to balance; under the floor a task costs more than it spreads.
constexpr double host_subtree_share = 1.0 / 128;
constexpr double host_subtree_floor = 4e6;
// Below, an analysis takes about as long as waking threads.
constexpr std::int64_t least_rows_for_threads = 4000;

ScheduleOptions host_options(const PlanOptions& options, double flops) {
  if (options.host_schedule) return *options.host_schedule;
  ScheduleOptions schedule;
  schedule.block_width = options.block_width > 0 ? options.block_width : host_block_width;
  schedule.max_subtree_flops = std::max(flops * host_subtree_share, host_subtree_floor);
  return schedule;
}

ScheduleOptions cuda_options(const PlanOptions& options) {
  ScheduleOptions schedule;
  schedule.block_width = options.block_width > 0 ? options.block_width : cuda_block_width;
  schedule.max_subtree_width = cuda_subtree_width;
  schedule.subtree_updates = SubtreeUpdates::pushed_by_source;
  return schedule;
}

/// Mixes one number into a hash (the finalizer of splitmix64).
void mix(std::uint64_t& hash, std::int64_t number) {
  std::uint64_t z = hash + static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  hash = z ^ (z >> 31U);
}

std::uint64_t hash_pattern(const PatternView& pattern) {
  std::uint64_t hash = 0;
  mix(hash, pattern.n);
  mix(hash, static_cast<std::int64_t>(pattern.part));
  mix(hash, static_cast<std::int64_t>(pattern.compression));
  for (std::int64_t i = 0; pattern.n > 0 && i <= pattern.n; ++i) mix(hash, pattern.offsets[i]);
  for (std::int64_t e = 0; e < pattern.entries(); ++e) mix(hash, pattern.indices[e]);
  return hash;
}

TreeShape tree_shape(const SymbolicFactor& factor) {
  TreeShape shape;
  IdVector<SupernodeId, std::int64_t> depth(static_cast<std::size_t>(factor.supernodes()), 1);
  for (std::int64_t i = factor.supernodes() - 1; i >= 0; --i) {
    const SupernodeId s(i);
    if (factor.parent[s].valid()) depth[s] = depth[factor.parent[s]] + 1;
    shape.height = std::max(shape.height, depth[s]);
    shape.largest_width = std::max<std::int64_t>(shape.largest_width, factor.width(s));
    shape.largest_front = std::max<std::int64_t>(shape.largest_front, factor.front(s));
  }
  return shape;
}

/// Tells the callback about a step; throws Cancelled when it says no.
void report_step(const std::function<bool(const Progress&)>& progress, const char* phase, double fraction) {
  if (progress && !progress(Progress{phase, fraction})) fail<Cancelled>("analyze was cancelled in the step '{}'", phase);
}

}  // namespace

std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress) {
  auto plan = std::make_shared<FactorPlan>();
  ThreadTeam team(pattern.n < least_rows_for_threads ? 1 : options.symbolic.threads);
  team.execute([&] {
    validate_pattern(pattern, team);
    TaskGroup beside(team);
    beside.run([&] { plan->pattern_hash = hash_pattern(pattern); });
    {
      const AdjacencyGraph graph = build_adjacency(pattern, team);
      plan->symbolic = analyze_graph(graph, options.symbolic, plan->symbolic_report, team, progress);
    }
    const SymbolicFactor& factor = plan->symbolic;
    report_step(progress, "layout", 0.0);
    plan->panels = build_panel_layout(factor);
    beside.run([&] { plan->assembly = build_assembly_map(pattern, factor, plan->panels, team); });
    report_step(progress, "updates", 0.0);
    plan->updates = build_updates(factor, team);
    for (SupernodeId s : factor.supernode_ids()) plan->stored_flops += supernode_flops(factor, s);
    report_step(progress, "schedule", 0.0);
    beside.run([&] { plan->cuda_schedule = build_schedule(factor, plan->updates, cuda_options(options)); });
    beside.run([&] { plan->cuda_solve = build_cuda_solve(factor, plan->updates); });
    plan->host_schedule = build_schedule(factor, plan->updates, host_options(options, plan->stored_flops));
    plan->host_solve = build_solve_schedule(factor, plan->host_schedule);
    plan->shape = tree_shape(factor);
    beside.wait();
  });
  return plan;
}

bool same_pattern(const FactorPlan& plan, const PatternView& pattern) {
  return pattern.n == plan.symbolic.order() && pattern.entries() == plan.assembly.entries_of_a &&
         hash_pattern(pattern) == plan.pattern_hash;
}

MemoryEstimate FactorPlan::memory(Backend backend, std::int64_t scalar_bytes, bool keep_a, int host_workers) const {
  return backend == Backend::cuda ? cuda_memory(*this, scalar_bytes, keep_a)
                                  : host_memory(*this, scalar_bytes, keep_a, host_workers);
}

}  // namespace gpusupernodal
