#include "solver/plan/plan_bytes.hpp"

#include "solver/symbolic/step_log.hpp"

namespace gpusupernodal {
namespace {

template <class Task>
std::int64_t bytes_of_graph(const Graph<Task>& g) {
  return bytes_in(g.tasks, g.waits_for, g.successor_offset, g.successors, g.critical_flops);
}

std::int64_t bytes_of(const CudaPlan& plan) {
  return static_cast<std::int64_t>(sizeof(CudaPlan)) + bytes_of(plan.schedule) + bytes_of(plan.solve) +
         bytes_in(plan.fronts.first_level, plan.fronts.kind, plan.fronts.levels);
}

}  // namespace

std::int64_t bytes_of(const PanelLayout& panels) { return bytes_in(panels.value_offset, panels.ld); }

std::int64_t bytes_of(const AssemblyMap& a) { return bytes_in(a.offset, a.source, a.target, a.row, a.column); }

std::int64_t bytes_of(const UpdateList& u) {
  return bytes_in(u.updates, u.first_into, u.from_offset, u.from, u.relative_rows);
}

std::int64_t bytes_of(const Schedule& s) {
  return bytes_in(s.subtrees, s.subtree_of, s.block_columns, s.first_block_column) + bytes_of_graph(s.graph);
}

std::int64_t bytes_of(const SolveSchedule& s) {
  return bytes_of_graph(s.forward) + bytes_of_graph(s.backward) +
         bytes_in(s.subtree_boundary, s.subtree_rows, s.supernode_boundary, s.rows_inside, s.outside_offset,
                  s.outside_position, s.gather_offset, s.gathers);
}

std::int64_t bytes_of(const CudaSolvePlan& c) {
  return bytes_in(c.gather.rows, c.gather.more, c.forward.tasks, c.forward.warp_tasks, c.backward.tasks,
                  c.backward.warp_tasks, c.forward_single.tasks, c.forward_single.warp_tasks, c.backward_single.tasks,
                  c.backward_single.warp_tasks, c.forward_float.tasks, c.forward_float.warp_tasks, c.backward_float.tasks,
                  c.backward_float.warp_tasks, c.widenings);
}

std::int64_t FactorPlan::bytes() const {
  const SymbolicFactor& f = symbolic;
  const CudaPlan* const made = cuda_made_;
  return static_cast<std::int64_t>(sizeof(FactorPlan)) +
         bytes_in(f.permutation.old_of_new, f.permutation.new_of_old, f.first_column, f.parent, f.subtree_first,
                  f.row_offset, f.rows, f.supernode_of) +
         bytes_of(panels) + bytes_of(assembly) + bytes_of(updates) + bytes_of(host_schedule) + bytes_of(host_solve) +
         (made != nullptr ? bytes_of(*made) : 0);
}

}  // namespace gpusupernodal
