#include "solver/plan/host_memory.hpp"

#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {
namespace {

template <class Container>
std::int64_t bytes_of(const Container& container) {
  return static_cast<std::int64_t>(container.size() * sizeof(*container.data()));
}

std::int64_t index_bytes(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  const TaskGraph& graph = plan.host_schedule.graph;
  return bytes_of(factor.permutation.old_of_new) * 2 + bytes_of(factor.first_column) + bytes_of(factor.parent) * 2 +
         bytes_of(factor.row_offset) + bytes_of(factor.rows) + bytes_of(factor.supernode_of) +
         bytes_of(plan.panels.value_offset) + bytes_of(plan.panels.ld) + bytes_of(plan.assembly.offset) +
         bytes_of(plan.assembly.source) + bytes_of(plan.assembly.target) + bytes_of(plan.assembly.row) +
         bytes_of(plan.assembly.column) + bytes_of(plan.updates.updates) + bytes_of(plan.updates.first_into) +
         bytes_of(plan.updates.from_offset) + bytes_of(plan.updates.from) + bytes_of(plan.updates.relative_rows) +
         bytes_of(graph.tasks) + bytes_of(graph.waits_for) + bytes_of(graph.successor_offset) + bytes_of(graph.successors) +
         bytes_of(graph.critical_flops) + bytes_of(plan.host_solve.subtree_rows) +
         bytes_of(plan.host_solve.outside_position) + bytes_of(plan.host_solve.gathers);
}

}  // namespace

std::int64_t host_solve_elements(const FactorPlan& plan, int workers) {
  return plan.symbolic.order() + plan.host_solve.boundary_entries + workers * plan.host_solve.largest_rows_in_subtrees;
}

MemoryEstimate host_memory(const FactorPlan& plan, std::int64_t scalar_bytes, bool keep_a, int workers) {
  MemoryEstimate memory;
  memory.factor = plan.panels.values() * scalar_bytes;
  memory.index = index_bytes(plan);
  const std::int64_t n = plan.symbolic.order();
  memory.workspace = host_solve_elements(plan, workers) * scalar_bytes;
  // Refinement keeps A and its vectors, and sums residuals and norms of rows in double.
  if (keep_a) {
    memory.workspace +=
        (plan.assembly.entries_of_a + refinement_vectors * n) * scalar_bytes + 2 * n * std::int64_t{sizeof(double)};
  }
  return memory;
}

}  // namespace gpusupernodal
