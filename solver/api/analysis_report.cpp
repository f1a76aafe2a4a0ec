#include "solver/api/solver_state.hpp"
#include "solver/exec/host/workers.hpp"
#include "solver/plan/cuda_memory.hpp"
#include "solver/plan/plan_json.hpp"

namespace gpusupernodal {

namespace {

MemoryEstimate memory_of(const FactorPlan& plan, Backend backend, std::int64_t scalar_bytes, const Options& options) {
  const bool keep_a = options.refinement.max_steps > 0;
  if (backend == Backend::cuda)
    return cuda_memory(plan, {scalar_bytes, keep_a, options.cuda_schedule, options.deterministic});
  return plan.memory(backend, scalar_bytes, keep_a, worker_count(options.threads));
}

}  // namespace

AnalyzeReport describe_analysis(const FactorPlan& plan, Backend backend, std::int64_t scalar_bytes, const Options& options) {
  const Schedule& schedule = backend == Backend::cuda ? plan.cuda().schedule : plan.host_schedule;
  AnalyzeReport report;
  report.n = plan.symbolic.order();
  report.nonzeros_a = static_cast<std::int64_t>(plan.assembly.source.size());
  report.ordering = plan.symbolic_report.ordering;
  report.ordering_reason = plan.symbolic_report.reason;
  report.nonzeros_l = plan.symbolic.nonzeros;
  report.stored_l = plan.panels.values();
  report.flops = plan.symbolic.flops;
  report.stored_flops = plan.stored_flops;
  report.supernodes = plan.symbolic.supernodes();
  report.largest_width = plan.shape.largest_width;
  report.largest_front = plan.shape.largest_front;
  report.tree_height = plan.shape.height;
  report.critical_path_flops = schedule.graph.critical_path_flops;
  report.tasks = static_cast<std::int64_t>(schedule.graph.tasks.size());
  report.backend = backend;
  report.memory = memory_of(plan, backend, scalar_bytes, options);
  report.seconds_ordering = plan.symbolic_report.seconds_ordering;
  report.seconds_symbolic = plan.symbolic_report.seconds_symbolic;
  report.steps = plan.symbolic_report.steps;
  return report;
}

std::array<RegimeReport, 3> describe_regimes(const FactorPlan& plan, Backend backend, const Trace& trace) {
  const Schedule& schedule = backend == Backend::cuda ? plan.cuda().schedule : plan.host_schedule;
  const std::array<double, 3> flops = regime_flops(plan.symbolic, schedule);
  const std::vector<TraceSlice> slices = trace.slices();
  std::array<RegimeReport, 3> regimes = FactorReport().regimes;
  for (std::size_t r = 0; r < regimes.size(); ++r) {
    regimes[r].flops = flops[r];
    regimes[r].seconds = busy_seconds(slices, static_cast<Regime>(r));
  }
  return regimes;
}

std::string plan_json(const FactorPlan& plan) { return describe_json(plan); }

std::string plan_graphviz(const FactorPlan& plan, std::int64_t max_supernodes) {
  return describe_graphviz(plan, max_supernodes);
}

}  // namespace gpusupernodal
