#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {
namespace {

template <class... Lists>
std::int64_t bytes_of(const Lists&... lists) {
  return (std::int64_t{0} + ... + static_cast<std::int64_t>(lists.size() * sizeof(*lists.data())));
}

template <class Task>
std::int64_t bytes_of_graph(const Graph<Task>& g) {
  return bytes_of(g.tasks, g.waits_for, g.successor_offset, g.successors, g.critical_flops);
}

std::int64_t bytes_of_schedule(const Schedule& s) {
  return bytes_of(s.subtrees, s.subtree_of, s.block_columns, s.first_block_column) + bytes_of_graph(s.graph);
}

std::int64_t bytes_of_solve(const SolveSchedule& s) {
  return bytes_of_graph(s.forward) + bytes_of_graph(s.backward) +
         bytes_of(s.subtree_boundary, s.subtree_rows, s.supernode_boundary, s.rows_inside, s.outside_offset,
                  s.outside_position, s.gather_offset, s.gathers);
}

std::int64_t bytes_of_cuda(const CudaPlan& plan) {
  const CudaSolvePlan& c = plan.solve;
  return static_cast<std::int64_t>(sizeof(CudaPlan)) + bytes_of_schedule(plan.schedule) +
         bytes_of(c.gather.rows, c.gather.more, c.forward.tasks, c.forward.warp_tasks, c.backward.tasks,
                  c.backward.warp_tasks, c.widenings, c.widening_begin);
}

}  // namespace

std::int64_t FactorPlan::bytes() const {
  const SymbolicFactor& f = symbolic;
  const CudaPlan* const made = cuda_made_;
  return static_cast<std::int64_t>(sizeof(FactorPlan)) +
         bytes_of(f.permutation.old_of_new, f.permutation.new_of_old, f.first_column, f.parent, f.subtree_first,
                  f.row_offset, f.rows, f.supernode_of) +
         bytes_of(panels.value_offset, panels.ld) +
         bytes_of(assembly.offset, assembly.source, assembly.target, assembly.row, assembly.column) +
         bytes_of(updates.updates, updates.first_into, updates.from_offset, updates.from, updates.relative_rows) +
         bytes_of_schedule(host_schedule) + bytes_of_solve(host_solve) + (made != nullptr ? bytes_of_cuda(*made) : 0);
}

}  // namespace gpusupernodal
