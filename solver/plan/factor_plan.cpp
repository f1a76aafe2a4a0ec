#include "solver/plan/factor_plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "base/stopwatch.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/plan/cuda_memory.hpp"
#include "solver/plan/forest_cost.hpp"
#include "solver/plan/host_memory.hpp"
#include "solver/plan/plan_bytes.hpp"
#include "solver/plan/plan_file.hpp"
#include "solver/plan/task_flops.hpp"
#include "solver/symbolic/fail.hpp"
#include "solver/symbolic/index_dispatch.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t cuda_block_width = 1024;
constexpr std::int32_t cuda_subtree_width = 64;
// Enough subtrees for 16 threads to balance, also in solves, of which they are a larger part; under the floor a task costs
// more than it spreads.
constexpr double host_subtree_share = 1.0 / 512;
constexpr double host_subtree_floor = 4e6;
// A supernode above the leaf subtrees with less work than the first takes less time than handing out its tasks; the second
// is about one microsecond.
constexpr double host_chained_flops = 5e5;
constexpr double host_hand_over_flops = 5e3;
// Below, an analysis takes about as long as waking threads.
constexpr std::int64_t least_rows_for_threads = 4000;

/// Wide blocks copy their operands seldom, narrow ones are more tasks for the threads. The widest separators of a grid in
/// space grow as the cube root of all operations: one half of that goes into wider blocks, the other into more of them.
std::int32_t host_block_width(double flops) {
  constexpr double narrowest = 128;
  constexpr double widest = 384;
  return static_cast<std::int32_t>(std::clamp(4.2 * std::pow(flops, 1.0 / 6), narrowest, widest)) / 8 * 8;
}

ScheduleOptions host_options(const PlanOptions& options, double flops) {
  if (options.host_schedule) return *options.host_schedule;
  ScheduleOptions schedule;
  schedule.block_width = options.block_width > 0 ? options.block_width : host_block_width(flops);
  schedule.max_subtree_flops = std::max(flops * host_subtree_share, host_subtree_floor);
  schedule.max_chained_flops = host_chained_flops;
  schedule.hand_over_flops = host_hand_over_flops;
  return schedule;
}

ScheduleOptions cuda_options(std::int32_t block_width) {
  ScheduleOptions schedule;
  schedule.block_width = block_width > 0 ? block_width : cuda_block_width;
  schedule.max_subtree_width = cuda_subtree_width;
  schedule.subtree_updates = SubtreeUpdates::pushed_by_source;
  return schedule;
}

std::uint64_t hash_pattern(const PatternView& pattern) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::int64_t number) { mix(hash, static_cast<std::uint64_t>(number)); };
  add(pattern.n);
  add(static_cast<std::int64_t>(pattern.part));
  add(static_cast<std::int64_t>(pattern.compression));
  const auto add_all = [&hash](const IndexArray& array, std::int64_t count) {
    if (count > 0) with_index_pointer(array, [&](auto numbers) { mix_all(hash, numbers, count); });
  };
  add_all(pattern.offsets, pattern.n > 0 ? pattern.n + 1 : 0);
  add_all(pattern.indices, pattern.entries());
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

void require_pattern_of(const StoredPlan& stored, const PatternView& pattern, std::uint64_t hash) {
  if (pattern.n != stored.n || pattern.entries() != stored.entries) {
    fail<InvalidInput>(
        "the plan file {} was stored for a matrix of order {} with {} entries; this one is of order {} with {}", stored.path,
        stored.n, stored.entries, pattern.n, pattern.entries());
  }
  if (hash != stored.pattern_hash)
    fail<InvalidInput>("the plan file {} was stored for another pattern than that of the matrix", stored.path);
}

/// The steps between the graph and the structure of L, from a file.
SymbolicFactor restore_symbolic(const AdjacencyGraph& graph, StoredPlan& stored, SymbolicReport& report, ThreadTeam& team) {
  const Stopwatch watch;
  std::optional<SymbolicFactor> factor = restore_factor(graph, std::move(stored.structure), team);
  if (!factor) {
    fail<InvalidInput>("the plan file {} is damaged: its order or its supernodes are none of the matrix's pattern",
                       stored.path);
  }
  report = {stored.ordering, std::move(stored.reason), 0.0, watch.seconds(), {}};
  return std::move(*factor);
}

/// What follows from the structure of L.
void fill_schedules(FactorPlan& plan, const PatternView& pattern, const PlanOptions& options, ThreadTeam& team, StepLog& log,
                    const std::function<bool(const Progress&)>& progress) {
  const SymbolicFactor& factor = plan.symbolic;
  const bool with_cuda = options.for_device && team.threads() > 1;
  std::unique_ptr<CudaPlan> cuda;
  TaskGroup beside(team);
  TaskGroup before_cuda(team);
  // Makes a part of the plan.
  const auto make = [&log](const char* step, auto& part, const auto& build) {
    log.time(step, [&] {
      part = build();
      return bytes_of(part);
    });
  };
  report_step(progress, "layout", 0.0);
  make("panel layout", plan.panels, [&] { return build_panel_layout(factor); });
  beside.run(
      [&] { make("assembly map", plan.assembly, [&] { return build_assembly_map(pattern, factor, plan.panels, team); }); });
  const bool cuda_beside = with_cuda && !is_made_step_by_step(factor);
  if (cuda_beside) before_cuda.run([&] { cuda = plan.begin_cuda(team, log); });
  report_step(progress, "updates", 0.0);
  make("updates", plan.updates, [&] { return build_updates(factor, team); });
  for (SupernodeId s : factor.supernode_ids()) plan.stored_flops += supernode_flops(factor, s);
  report_step(progress, "schedule", 0.0);
  beside.run([&] {
    make("host schedule", plan.host_schedule,
         [&] { return build_schedule(factor, plan.updates, host_options(options, plan.stored_flops), team); });
    make("host solve", plan.host_solve, [&] { return build_solve_schedule(factor, plan.host_schedule); });
  });
  plan.shape = tree_shape(factor);
  before_cuda.wait();
  if (with_cuda && !cuda_beside) beside.wait();
  if (with_cuda) plan.cuda(team, log, std::move(cuda));
  beside.wait();
}

AdjacencyGraph read_graph(const PatternView& pattern, ThreadTeam& team, StepLog& log) {
  AdjacencyGraph graph;
  log.time("adjacency", [&] {
    graph = build_adjacency(pattern, team);
    return bytes_in(graph.offsets, graph.neighbours);
  });
  return graph;
}

ThreadTeam team_for(const PatternView& pattern, int threads) {
  return ThreadTeam(pattern.n < least_rows_for_threads ? 1 : threads);
}

}  // namespace

std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress) {
  auto plan = std::make_shared<FactorPlan>();
  plan->block_width = options.block_width;
  plan->launch = options.figures.launch;
  SymbolicOptions symbolic = options.symbolic;
  const PathCost cost = path_cost(options.figures, options.may_take_host);
  if (symbolic.for_device) symbolic.path_cost = &cost;
  ThreadTeam team = team_for(pattern, options.symbolic.threads);
  team.execute([&] {
    StepLog log;
    log.time("pattern check", [&] { return validate_pattern(pattern, team), std::int64_t{0}; });
    TaskGroup beside(team);
    beside.run(
        [&] { log.time("pattern hash", [&] { return plan->pattern_hash = hash_pattern(pattern), std::int64_t{0}; }); });
    {
      const AdjacencyGraph graph = read_graph(pattern, team, log);
      plan->symbolic = analyze_graph(graph, symbolic, plan->symbolic_report, team, progress);
      for (const AnalysisStep& step : plan->symbolic_report.steps) log.add(step);
    }
    fill_schedules(*plan, pattern, options, team, log, progress);
    beside.wait();
    plan->symbolic_report.steps = log.take();
  });
  return plan;
}

std::shared_ptr<const FactorPlan> restore_plan(const PatternView& pattern, StoredPlan stored, int threads,
                                               const std::function<bool(const Progress&)>& progress, bool for_device,
                                               const LaunchFigures& launch) {
  auto plan = std::make_shared<FactorPlan>();
  PlanOptions options;
  options.for_device = for_device;
  plan->launch = launch;
  options.block_width = plan->block_width = stored.block_width;
  ThreadTeam team = team_for(pattern, threads);
  team.execute([&] {
    validate_pattern(pattern, team);
    plan->pattern_hash = hash_pattern(pattern);
    require_pattern_of(stored, pattern, plan->pattern_hash);
    report_step(progress, "stored order", 0.0);
    StepLog log;
    {
      const AdjacencyGraph graph = read_graph(pattern, team, log);
      log.time("row structures", [&] {
        plan->symbolic = restore_symbolic(graph, stored, plan->symbolic_report, team);
        return bytes_in(plan->symbolic.rows);
      });
    }
    fill_schedules(*plan, pattern, options, team, log, progress);
    plan->symbolic_report.steps = log.take();
  });
  return plan;
}

bool same_pattern(const FactorPlan& plan, const PatternView& pattern) {
  return pattern.n == plan.symbolic.order() && pattern.entries() == plan.assembly.entries_of_a &&
         hash_pattern(pattern) == plan.pattern_hash;
}

const CudaPlan& FactorPlan::cuda() const {
  if (const CudaPlan* const made = cuda_made_) return *made;  // Asked in every solve, which takes no memory.
  ThreadTeam one(1);
  StepLog nowhere;
  return cuda(one, nowhere, nullptr);
}

std::unique_ptr<CudaPlan> FactorPlan::begin_cuda(ThreadTeam& team, StepLog& log) const {
  auto begun = std::make_unique<CudaPlan>();
  // Not beside the rest: of a tall tree it takes much for a moment, and hardly any time.
  log.time("cuda fronts", [&] {
    begun->fronts = plan_cuda_fronts(symbolic, launch);
    return bytes_in(begun->fronts.first_level, begun->fronts.kind, begun->fronts.levels);
  });
  log.time("cuda sweeps", [&] {
    begun->solve = build_cuda_sweeps(symbolic, team);
    return bytes_of(begun->solve);
  });
  return begun;
}

const CudaPlan& FactorPlan::cuda(ThreadTeam& team, StepLog& log, std::unique_ptr<CudaPlan> begun) const {
  std::call_once(cuda_once_, [&] {
    std::unique_ptr<CudaPlan> made = begun ? std::move(begun) : begin_cuda(team, log);
    ThreadTeam one(1);
    TaskGroup beside(is_made_step_by_step(symbolic) ? one : team);
    beside.run([&] {
      log.time("cuda schedule", [&] {
        made->schedule = build_schedule(symbolic, updates, cuda_options(block_width), team);
        return bytes_of(made->schedule);
      });
    });
    log.time("cuda gather", [&] {
      if (made->solve.fits) made->solve.gather = build_front_gather(symbolic, updates, team);
      return bytes_in(made->solve.gather.rows, made->solve.gather.more);
    });
    beside.wait();
    cuda_ = std::move(made);
    cuda_made_ = cuda_.get();
  });
  return *cuda_;
}

MemoryEstimate FactorPlan::memory(Backend backend, std::int64_t scalar_bytes, bool keep_a, int host_workers) const {
  return backend == Backend::cuda ? cuda_memory(*this, scalar_bytes, keep_a)
                                  : host_memory(*this, scalar_bytes, keep_a, host_workers);
}

}  // namespace gpusupernodal
