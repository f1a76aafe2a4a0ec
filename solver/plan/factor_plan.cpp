#include "solver/plan/factor_plan.hpp"

#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "base/stopwatch.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/plan/general_input.hpp"
#include "solver/plan/plan_file.hpp"
#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

// With fewer rows, an analysis takes about as long as waking threads.
constexpr std::int64_t min_rows_for_threads = 4000;

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

/// Reports a step to the callback; throws Cancelled if it returns false.
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

/// Restores the structure of L from a file, in place of the steps between the graph and L.
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

/// Derives panels, assembly map and updates from the structure of L, and builds the backends' plans concurrently.
class PlanMaker {
 public:
  PlanMaker(const PatternView& pattern, const PlanOptions& options, ThreadTeam& team, StepLog& log,
            const std::function<bool(const Progress&)>& progress)
      : pattern_(pattern), options_(options), team_(team), log_(log), progress_(progress) {}

  std::shared_ptr<const FactorPlan> make(std::shared_ptr<FactorStructure> structure) {
    FactorStructure& s = *structure;
    const auto host = std::make_shared<HostPlan>();
    host->structure = structure;
    std::optional<CudaPlanBuilder> cuda;
    if (options_.cuda) cuda.emplace(options_for(*options_.cuda, s));
    const bool cuda_beside = cuda && !is_made_step_by_step(s.symbolic);
    TaskGroup beside(team_);
    TaskGroup before_cuda(team_);
    report_step(progress_, "layout", 0.0);
    list("panel layout", s.panels, [&] { return build_panel_layout(s.symbolic, s.general != nullptr); });
    beside.run([&] {
      list("assembly map", s.assembly, [&] {
        return s.general ? build_general_assembly_map(*s.general, s.symbolic, s.panels)
                         : build_assembly_map(pattern_, s.symbolic, s.panels, team_);
      });
    });
    if (cuda_beside) before_cuda.run([&] { cuda->begin(s.symbolic, team_, log_); });
    report_step(progress_, "updates", 0.0);
    list("updates", s.updates, [&] { return build_updates(s.symbolic, team_); });
    for (SupernodeId k : s.symbolic.supernode_ids()) s.stored_flops += supernode_flops(s.symbolic, k);
    report_step(progress_, "schedule", 0.0);
    beside.run([&] { make_host(*host); });
    s.shape = tree_shape(s.symbolic);
    before_cuda.wait();
    if (cuda && !cuda_beside) {
      beside.wait();
      cuda->begin(s.symbolic, team_, log_);
    }
    std::shared_ptr<const CudaPlan> cuda_plan = cuda ? cuda->finish(structure, team_, log_) : nullptr;
    beside.wait();
    return std::make_shared<FactorPlan>(host, std::move(cuda_plan));
  }

 private:
  template <class Part, class Build>
  void list(const char* step, Part& part, const Build& build) {
    log_.time(step, [&] {
      part = build();
      return bytes_of(part);
    });
  }

  void make_host(HostPlan& host) {
    const FactorStructure& s = *host.structure;
    const ScheduleOptions rules = host_schedule_options({options_.block_width, options_.host_schedule}, s.stored_flops);
    list("host schedule", host.schedule, [&] { return build_schedule(s.symbolic, s.updates, rules, team_); });
    list("host solve", host.solve, [&] { return build_solve_schedule(s.symbolic, host.schedule); });
  }

  const PatternView& pattern_;
  const PlanOptions& options_;
  ThreadTeam& team_;
  StepLog& log_;
  const std::function<bool(const Progress&)>& progress_;
};

AdjacencyGraph read_graph(const PatternView& pattern, ThreadTeam& team, StepLog& log) {
  AdjacencyGraph graph;
  log.time("adjacency", [&] {
    graph = build_adjacency(pattern, team);
    return bytes_in(graph.offsets, graph.neighbours);
  });
  return graph;
}

ThreadTeam team_for(const PatternView& pattern, int threads) {
  return ThreadTeam(pattern.n < min_rows_for_threads ? 1 : threads);
}

/// Stores the times of the steps in an otherwise complete structure.
void store_steps(FactorStructure& structure, StepLog& log) { structure.symbolic_report.steps = log.take(); }

}  // namespace

std::uint64_t hash_of(const PatternView& pattern, const GeneralInput* general) {
  if (general == nullptr) return hash_pattern(pattern);
  return general->pattern_hash ? *general->pattern_hash : hash_pattern(general->pattern);
}

std::shared_ptr<const FactorPlan> make_plan(const PatternView& pattern, const PlanOptions& options,
                                            const std::function<bool(const Progress&)>& progress) {
  const auto structure = std::make_shared<FactorStructure>();
  structure->block_width = options.block_width;
  SymbolicOptions symbolic = options.symbolic;
  const CostModel model(options.figures);
  if (symbolic.for_device) symbolic.cost_model = &model;
  ThreadTeam team = team_for(pattern, options.symbolic.threads);
  std::shared_ptr<const FactorPlan> plan;
  team.execute([&] {
    StepLog log;
    log.time("pattern check", [&] { return validate_pattern(pattern, team), std::int64_t{0}; });
    TaskGroup beside(team);
    beside.run([&] {
      log.time("pattern hash",
               [&] { return structure->pattern_hash = hash_of(pattern, options.general.get()), std::int64_t{0}; });
    });
    {
      const AdjacencyGraph graph = read_graph(pattern, team, log);
      structure->symbolic = analyze_graph(graph, symbolic, structure->symbolic_report, team, progress);
      for (const AnalysisStep& step : structure->symbolic_report.steps) log.add(step);
    }
    if constexpr (built_with(Form::lu)) {
      if (options.general) structure->general = ordered(*options.general, structure->symbolic.permutation);
    }
    PlanOptions wanted = options;
    // On one thread, a device plan would delay an analysis that may choose the host; with_cuda adds it later.
    if (options.symbolic.allow_host && team.threads() == 1) wanted.cuda.reset();
    plan = PlanMaker(pattern, wanted, team, log, progress).make(structure);
    beside.wait();
    store_steps(*structure, log);
  });
  return plan;
}

std::shared_ptr<const FactorPlan> restore_plan(const PatternView& pattern, StoredPlan stored, const RestoreOptions& wanted,
                                               const std::function<bool(const Progress&)>& progress) {
  const auto structure = std::make_shared<FactorStructure>();
  PlanOptions options;
  options.cuda = wanted.cuda;
  options.block_width = structure->block_width = stored.block_width;
  ThreadTeam team = team_for(pattern, wanted.threads);
  std::shared_ptr<const FactorPlan> plan;
  team.execute([&] {
    validate_pattern(pattern, team);
    structure->pattern_hash = hash_pattern(pattern);
    require_pattern_of(stored, pattern, structure->pattern_hash);
    report_step(progress, "stored order", 0.0);
    StepLog log;
    {
      const AdjacencyGraph graph = read_graph(pattern, team, log);
      log.time("row structures", [&] {
        structure->symbolic = restore_symbolic(graph, stored, structure->symbolic_report, team);
        return bytes_in(structure->symbolic.rows);
      });
    }
    plan = PlanMaker(pattern, options, team, log, progress).make(structure);
    store_steps(*structure, log);
  });
  return plan;
}

std::shared_ptr<const FactorPlan> with_cuda(const std::shared_ptr<const FactorPlan>& plan, const CudaPlanOptions& options,
                                            int threads) {
  if (plan->cuda_plan() && plan->cuda_plan()->options == options) return plan;
  ThreadTeam team(plan->symbolic.order() < min_rows_for_threads ? 1 : threads);
  std::shared_ptr<const CudaPlan> cuda;
  team.execute([&] {
    StepLog unread;
    cuda = build_cuda_plan(plan->host().structure, options, team, unread);
  });
  return std::make_shared<FactorPlan>(plan->host_plan(), std::move(cuda));
}

bool same_pattern(const FactorPlan& plan, const PatternView& pattern) {
  return pattern.n == plan.symbolic.order() && pattern.entries() == plan.assembly.entries_of_a &&
         hash_pattern(pattern) == plan.structure().pattern_hash;
}

FactorPlan::FactorPlan(std::shared_ptr<const HostPlan> host, std::shared_ptr<const CudaPlan> cuda)
    : host_(std::move(host)), cuda_(std::move(cuda)) {}

const CudaPlan& FactorPlan::cuda() const {
  if (!cuda_) fail<InvalidState>("this plan was made for the host alone");
  return *cuda_;
}

const BackendPlan& FactorPlan::of(Backend backend) const {
  if (backend == Backend::cuda) return cuda();
  return host();
}

MemoryEstimate FactorPlan::memory(Backend backend, ScalarType scalar, bool keep_a, int host_workers, bool ldlt) const {
  return of(backend).memory({scalar, keep_a, host_workers, ldlt});
}

std::int64_t FactorPlan::bytes() const {
  return static_cast<std::int64_t>(sizeof(FactorPlan)) + structure().bytes() + host_->bytes() + (cuda_ ? cuda_->bytes() : 0);
}

}  // namespace gpusupernodal
