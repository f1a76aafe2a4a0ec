#include <utility>

#include "base/thread_team.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/solver_state.hpp"
#include "solver/plan/plan_json.hpp"

namespace gpusupernodal {

AnalyzeReport describe_analysis(const FactorPlan& plan, PlanSource source, Backend backend, ScalarType scalar,
                                const Options& options) {
  const FactorStructure& structure = plan.structure();
  const PlannedWork work = plan.of(backend).work();
  AnalyzeReport report;
  report.n = plan.symbolic.order();
  report.nonzeros_a = static_cast<std::int64_t>(plan.assembly.source.size());
  report.ordering = structure.symbolic_report.ordering;
  report.ordering_reason = structure.symbolic_report.reason;
  if (structure.general) report.lu_schedule = structure.lu_schedule();
  report.nonzeros_l = plan.symbolic.nonzeros;
  report.stored_l = structure.factor_values();
  const double products = structure.general ? 2.0 : 1.0;  // LU updates the panels of L and those of Uᵀ.
  report.flops = products * plan.symbolic.flops;
  report.stored_flops = products * structure.stored_flops;
  report.supernodes = plan.symbolic.supernodes();
  report.largest_width = structure.shape.largest_width;
  report.largest_front = structure.shape.largest_front;
  report.tree_height = structure.shape.height;
  report.critical_path_flops = products * work.critical_path_flops;
  report.tasks = work.tasks;
  report.backend = backend;
  report.memory = plan.memory(backend, scalar, keeps_a(options), worker_count(options.threads), options.form == Form::ldlt);
  report.plan_source = source;
  // The times of a plan that was made before are those of another analysis.
  if (source != PlanSource::cache && source != PlanSource::caller) {
    report.seconds_ordering = structure.symbolic_report.seconds_ordering;
    report.seconds_symbolic = structure.symbolic_report.seconds_symbolic;
    report.steps = structure.symbolic_report.steps;
  }
  return report;
}

void add_devices(std::vector<DeviceUse> devices, AnalyzeReport& report) {
  report.memory = MemoryEstimate();
  for (const DeviceUse& use : devices) {
    report.memory.factor += use.memory.factor;
    report.memory.index += use.memory.index;
    report.memory.workspace += use.memory.workspace;
  }
  report.devices = std::move(devices);
}

std::array<RegimeReport, 3> describe_regimes(const FactorPlan& plan, Backend backend, const Trace& trace) {
  const Schedule& schedule = plan.of(backend).cut();
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
